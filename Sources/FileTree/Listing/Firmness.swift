internal import SyncKit

/// True if a file's facts prove, from a moment on, that its content is what it was.
///
/// A file can be written twice within one tick of its file system's clock and look the same afterwards. Facts are firm
/// only if both times lie two ticks before the observation; a time in the future is never firm.
struct Firmness: Sendable {
  /// The kernel stamps files once per timer tick, at the slowest a hundred times a second.
  private static let fineTick: Int64 = 10_000_000
  /// FAT counts in steps of two seconds, older file systems in seconds.
  private static let coarseTick: Int64 = 2_000_000_000

  private let looked: Int64

  /// What can be said of files that are looked at from `time` on.
  init(from time: Timestamp) { looked = time.nanoseconds }

  func covers(_ facts: FileFacts) -> Bool {
    max(facts.modified, facts.changed) < looked - 2 * Self.tick(of: facts)
  }

  /// Returns true if a file with these facts, that we have just created with its modification time, cannot be written to
  /// unnoticed by the next writer, which sets the time to the clock's, and ours lies well before that. That the file is
  /// given a name after the observation changes nothing.
  static func covers(made facts: FileFacts) -> Bool { facts.modified < facts.changed - 2 * tick(of: facts) }

  private static func tick(of facts: FileFacts) -> Int64 {
    let countsSeconds = facts.modified % 1_000_000_000 == 0 && facts.changed % 1_000_000_000 == 0
    return countsSeconds ? coarseTick : fineTick
  }
}
