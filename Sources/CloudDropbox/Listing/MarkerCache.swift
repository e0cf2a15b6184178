internal import SyncKit
import Synchronization

/// Caches the replica's marker, which every pass reads and which hardly ever changes: if a listing shows the cached `rev`, the
/// download is saved.
final class MarkerCache: Sendable {
  static let path = SyncPath(ReservedName.marker)
  private static let key = "dropbox.marker"

  private let journal: any Journal
  /// The version in the last listing; used once, because it may be outdated later.
  private let lastSeen = Mutex<Metadata.Version?>(nil)
  private let held = Mutex<(rev: String, bytes: [UInt8])?>(nil)

  init(journal: any Journal) { self.journal = journal }

  func recordSeen(_ version: Metadata.Version) { lastSeen.withLock { $0 = version } }

  /// Returns the marker if the last listing showed the cached version, once per listing.
  func removeContent() async throws(SyncError) -> (version: Metadata.Version, bytes: [UInt8])? {
    let seen = lastSeen.withLock { seen in
      defer { seen = nil }
      return seen
    }
    guard let seen else { return nil }
    if let held = held.withLock({ $0 }), held.rev == seen.rev { return (seen, held.bytes) }
    guard let record = try await journal.records()[Self.key] else { return nil }
    let parts = record.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].elementsEqual(seen.rev.utf8) else { return nil }
    held.withLock { $0 = (seen.rev, Array(parts[1])) }
    return (seen, Array(parts[1]))
  }

  /// Caches a version that was read.
  func store(_ rev: String, _ bytes: [UInt8]) async throws(SyncError) {
    held.withLock { $0 = (rev, bytes) }
    try await journal.write([Self.key: Array("\(rev)\n".utf8) + bytes])
  }
}
