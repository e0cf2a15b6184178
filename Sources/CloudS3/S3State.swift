internal import SyncKit
import Synchronization

/// The state of a storage: what it has seen, in memory, and what must survive the process, in the journal.
final class S3State: Sendable {
  static let marker = SyncPath(ReservedName.marker)
  private static let traitsKey = "s3.traits"

  /// The remote in the settings.
  let remote: String
  let journal: any Journal
  private let held = Mutex(Held())
  private let probing = LockQueue()

  private struct Held {
    var record: ProbeRecord?
    var marker: (entry: Entry, bytes: [UInt8])?
    /// The revision of the marker in the last listing; used once, because it may be outdated later.
    var listedMarker: Revision?
    /// True for each tag of a tombstone, false for one of a file of the same size.
    var tombstones: [String: Bool] = [:]
    /// Tombstones of other devices in the last listing.
    var leftTombstones: [SyncPath: ObjectFacts] = [:]
    var listing: KeptListing?
    /// True if the last listing had more than one page; nil before the first one.
    var isLarge: Bool?
  }

  init(remote: String, journal: any Journal) {
    self.remote = remote
    self.journal = journal
  }

  // MARK: Traits

  /// The observed behaviour of the server; nil if it was never probed.
  func traits() async throws(SyncError) -> Traits? { try await record()?.traits }

  private func record() async throws(SyncError) -> ProbeRecord? {
    if let record = held.withLock({ $0.record }) { return record }
    let record = try await journal.records()[Self.traitsKey].flatMap { ProbeRecord($0) }
    held.withLock { $0.record = record }
    return record
  }

  /// Returns the traits of a server that may be written to; probes it first if it was never probed, not for a week, or has
  /// changed.
  func provenTraits(of service: Service, allowsUnsafeWrites: Bool) async throws(SyncError) -> Traits {
    let traits = try await probing.withLock("probe") { () throws(SyncError) in
      if let record = try await record(), record.isValid(for: service), record.traits.isSafe || allowsUnsafeWrites {
        return record.traits
      }
      let traits = try await Probe.run(on: service)
      let record = ProbeRecord(traits, service)
      try await journal.write([Self.traitsKey: record.bytes])
      held.withLock { $0.record = record }
      return traits
    }
    guard traits.isSafe || allowsUnsafeWrites else {
      throw SyncError(
        .invalidSettings,
        "\(service.bucket.address) cannot keep two devices from overwriting each other's edits: \(traits.failure); nothing was "
          + "written. Use another server, or set `unsafe-writes = true` if only this device writes there",
        remedy: .diagnose(remote: remote))
    }
    return traits
  }

  /// Forgets the traits, because the server behaves differently now: the next write probes it again.
  func forgetTraits() async throws(SyncError) {
    held.withLock { $0.record = nil }
    try await journal.write([Self.traitsKey: nil])
  }

  // MARK: The marker, which every pass reads

  func record(marker entry: Entry, _ bytes: [UInt8]) { held.withLock { $0.marker = (entry, bytes) } }

  /// Returns the marker if the last listing showed the version that was read before, once per listing.
  func marker() -> (entry: Entry, bytes: [UInt8])? {
    held.withLock { held in
      defer { held.listedMarker = nil }
      guard let marker = held.marker, marker.entry.revision == held.listedMarker else { return nil }
      return marker
    }
  }

  // MARK: Tombstones

  func isTombstone(_ tag: String) -> Bool? { held.withLock { $0.tombstones[tag] } }

  func record(_ tag: String, isTombstone: Bool) { held.withLock { $0.tombstones[tag] = isTombstone } }

  /// The tombstones in the last listing, once.
  func removeLeftTombstones() -> [SyncPath: ObjectFacts] {
    held.withLock { held in
      defer { held.leftTombstones = [:] }
      return held.leftTombstones
    }
  }

  // MARK: Damaged objects

  private static let damagedPrefix = "s3.damaged "

  /// The objects whose content was not what their metadata said, and the digests in their metadata.
  func damaged() async throws(SyncError) -> [(path: SyncPath, declared: Digest)] {
    try await journal.records().compactMap { key, record in
      guard key.hasPrefix(Self.damagedPrefix), record.count > 32, let digest = Digest(bytes: record[..<32]),
        let path = SyncPath(bytes: Array(record[32...]))
      else { return nil }
      return (path, digest)
    }
    .sorted { $0.path < $1.path }
  }

  func record(damaged path: SyncPath, _ declared: Digest) async throws(SyncError) {
    try await journal.write([Self.damagedKey(of: path): declared.bytes + path.bytes])
  }

  func remove(damaged path: SyncPath) async throws(SyncError) {
    try await journal.write([Self.damagedKey(of: path): nil])
  }

  private static func damagedKey(of path: SyncPath) -> String { damagedPrefix + Digest(of: path.bytes).description }

  // MARK: The last listing

  var listing: KeptListing? { held.withLock { $0.listing } }

  /// True if the last listing had more than one page of objects; nil before the first one.
  var isLarge: Bool? { held.withLock { $0.isLarge } }

  func record(_ listing: KeptListing?, isLarge: Bool) {
    held.withLock { ($0.listing, $0.isLarge) = (listing, isLarge) }
  }

  /// Remembers what a snapshot was made of.
  func record(listed objects: [SyncPath: ObjectFacts], _ tombstones: [SyncPath: ObjectFacts]) {
    held.withLock { held in
      held.listedMarker = Self.marker.flatMap { objects[$0]?.revision }
      held.leftTombstones = tombstones
    }
  }

  /// Applies our own changes to the kept listing.
  func update(_ changes: [(path: SyncPath, entry: Entry?)]) {
    held.withLock { held in
      for (path, entry) in changes {
        held.listing?.objects[path] = entry.map {
          ObjectFacts(tag: ObjectFacts.tag(in: $0.revision), size: $0.size, modified: $0.modified)
        }
      }
    }
  }
}

/// A complete listing that is kept in memory, and the news that it includes.
struct KeptListing: Sendable {
  var objects: [SyncPath: ObjectFacts]
  var unread: [Unread]
  /// The time at which it was requested.
  var time: Timestamp
  /// The tag of the news object before the listing began.
  var newsTag: String
  /// The id of the last line of the news at that time.
  var lastNews: String
}
