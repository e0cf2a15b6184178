internal import SyncKit

/// Whether a file's facts prove, from a moment on, that its content is what it was.
///
/// A file can be written twice within one tick of its file system's clock and look the same afterwards. Facts are firm
/// only if both times lie two ticks before the look; a time in the future is never firm.
struct Firmness: Sendable {
  /// The kernel stamps files once per timer tick, at the slowest a hundred times a second.
  private static let fineTick: Int64 = 10_000_000
  /// FAT counts in steps of two seconds, older file systems in seconds.
  private static let coarseTick: Int64 = 2_000_000_000

  private let looked: Int64

  /// What can be said of files that are looked at from `time` on.
  init(from time: Timestamp) { looked = time.nanoseconds }

  func covers(_ facts: FileFacts) -> Bool {
    let countsSeconds = facts.modified % 1_000_000_000 == 0 && facts.changed % 1_000_000_000 == 0
    let tick = countsSeconds ? Self.coarseTick : Self.fineTick
    return max(facts.modified, facts.changed) < looked - 2 * tick
  }
}
