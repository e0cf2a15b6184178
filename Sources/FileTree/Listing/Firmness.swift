internal import SyncKit

/// Decides if a file's facts prove, from a moment on, that its content is unchanged.
///
/// A file can be written twice within one tick of its file system's clock and keep the same facts. Facts are firm only if both
/// times are at least two ticks before the observation; a time in the future is never firm.
struct Firmness: Sendable {
  /// The kernel updates file times once per timer tick, at least a hundred times a second.
  private static let fineTick: Int64 = 10_000_000
  /// FAT has a resolution of two seconds, older file systems of one second.
  private static let coarseTick: Int64 = 2_000_000_000

  private let looked: Int64

  /// The firmness of files that are observed from `time` on.
  init(from time: Timestamp) { looked = time.nanoseconds }

  func covers(_ facts: FileFacts) -> Bool {
    max(facts.modified, facts.changed) < looked - 2 * Self.tick(of: facts)
  }

  /// Returns true if a file that we have just created with this modification time cannot be changed unnoticed: the next writer
  /// sets the time to the clock's, and ours is well before that. Renaming the file after the observation changes nothing.
  static func covers(made facts: FileFacts) -> Bool { facts.modified < facts.changed - 2 * tick(of: facts) }

  private static func tick(of facts: FileFacts) -> Int64 {
    let countsSeconds = facts.modified % 1_000_000_000 == 0 && facts.changed % 1_000_000_000 == 0
    return countsSeconds ? coarseTick : fineTick
  }
}
