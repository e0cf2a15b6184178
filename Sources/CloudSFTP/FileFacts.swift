internal import SFTPWire
internal import SyncKit

/// The attributes of a file by which its versions are distinguished. Version 3 of the protocol has whole seconds and no inode
/// numbers.
struct FileFacts: Hashable, Sendable {
  var size: UInt64
  /// The modification time in seconds since 1970.
  var seconds: UInt32

  /// Nil if the server sent no size or no time.
  init?(_ attributes: SFTPAttributes) {
    guard let size = attributes.size, let seconds = attributes.seconds else { return nil }
    (self.size, self.seconds) = (size, seconds)
  }

  var revision: Revision { Revision("\(size) \(seconds)") }

  var modified: Timestamp { Timestamp(seconds: Int64(seconds)) }

  /// The entry of a file. Its revision is firm if no other content can have had the same one.
  func entry(at path: SyncPath, isFirm: Bool, digest: Digest? = nil) -> Entry {
    Entry(
      path: path, revision: revision, isFirm: isFirm, digest: digest, size: Int(clamping: size), modified: modified)
  }
}

/// The clock of a server, as the times of new files show it.
struct ServerClock: Hashable, Sendable {
  /// The time in seconds since 1970 that has passed for certain; nil if it is unknown.
  private(set) var seconds: Int64?

  /// A file can be written again within the second of its time, and file systems may be a second late.
  private static let racySeconds: Int64 = 2

  /// Records the time of a file that was just written.
  mutating func record(_ time: UInt32) { seconds = max(seconds ?? 0, Int64(time)) }

  /// Records that the server has no clock to ask, because nothing may be written: the clocks differ by less than a day.
  mutating func assume(_ now: Timestamp) { seconds = seconds ?? now.seconds - 86_400 }

  /// Returns true if a later write would have set another time.
  func isPast(_ time: UInt32) -> Bool { time > 0 && seconds.map { Int64(time) < $0 - Self.racySeconds } ?? false }
}
