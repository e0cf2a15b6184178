import ArchiveSQLite
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The remotes that the service does not sync by itself, each until a time or until a person resumes it.
package struct Pauses: Hashable, Sendable {
  /// The end of each pause, by remote.
  private var ends: [String: Timestamp] = [:]

  /// The end of a pause that a person has to end.
  private static let never = Timestamp(nanoseconds: .max)

  init() {}

  /// Reads the text of the file `paused`: a line for each remote, with the second in which its pause ends.
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let seconds = Int64(words[1]) else { continue }
      ends[String(words[0])] =
        seconds < Self.never.seconds ? Timestamp(nanoseconds: seconds * 1_000_000_000) : Self.never
    }
  }

  var text: String { ends.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.seconds)\n" }.joined() }

  /// Pauses remotes until `end`; nil: until they are resumed.
  package mutating func pause(_ remotes: [String], until end: Timestamp?) {
    for remote in remotes { ends[remote] = end ?? Self.never }
  }

  /// Ends the pauses of remotes.
  package mutating func resume(_ remotes: [String]) { for remote in remotes { ends[remote] = nil } }

  /// True if a remote is paused at `now`.
  package func contains(_ remote: String, at now: Timestamp) -> Bool { ends[remote].map { now < $0 } ?? false }

  /// The end of a remote's pause; nil if a person has to end it.
  package func end(of remote: String) -> Timestamp? { ends[remote].flatMap { $0 == Self.never ? nil : $0 } }

  /// When the next pause ends by itself after `now`; nil if none does.
  func nextEnd(after now: Timestamp) -> Timestamp? { ends.values.filter { now < $0 && $0 != Self.never }.min() }
}

extension StateFolder {
  /// The remotes that are paused.
  package var pauses: Pauses {
    guard let bytes = try? StateFile(file("paused"), O_RDONLY).read(atMost: 1 << 16) else { return Pauses() }
    return Pauses(String(decoding: bytes, as: UTF8.self))
  }

  /// Records which remotes are paused, also for a service that starts later.
  package func record(_ pauses: Pauses) throws(SyncError) {
    try StateFile.replace(file("paused"), with: Array(pauses.text.utf8))
  }
}
