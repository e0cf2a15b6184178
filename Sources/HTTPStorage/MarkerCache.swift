package import SyncKit
import Synchronization

/// Caches the replica's marker, which every pass reads and which hardly ever changes: if a listing shows the cached revision,
/// the download is saved.
package final class MarkerCache: Sendable {
  package static let path = SyncPath(ReservedName.marker)

  private let key: String
  private let journal: any Journal
  /// The entry in the last listing; used once, because it may be outdated later.
  private let lastSeen = Mutex<Entry?>(nil)
  private let held = Mutex<(revision: Revision, bytes: [UInt8])?>(nil)

  /// - Parameter key: the name of the record in the journal
  package init(_ key: String, journal: any Journal) {
    self.key = key
    self.journal = journal
  }

  /// Records the marker's entry in a listing; its revision has no line breaks.
  package func recordSeen(_ entry: Entry) { lastSeen.withLock { $0 = entry } }

  /// Returns the marker if the last listing showed the cached version, once per listing.
  package func removeContent() async throws(SyncError) -> (entry: Entry, bytes: [UInt8])? {
    let seen = lastSeen.withLock { seen in
      defer { seen = nil }
      return seen
    }
    guard let seen else { return nil }
    if let held = held.withLock({ $0 }), held.revision == seen.revision { return (seen, held.bytes) }
    guard let record = try await journal.records()[key] else { return nil }
    let parts = record.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].elementsEqual(seen.revision.bytes) else { return nil }
    held.withLock { $0 = (seen.revision, Array(parts[1])) }
    return (seen, Array(parts[1]))
  }

  /// Caches a version that was read.
  package func store(_ revision: Revision, _ bytes: [UInt8]) async throws(SyncError) {
    held.withLock { $0 = (revision, bytes) }
    try await journal.write([key: revision.bytes + [UInt8(ascii: "\n")] + bytes])
  }
}
