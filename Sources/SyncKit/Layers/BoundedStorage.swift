import Synchronization

/// A storage that must not send more than it listed: a read ends once a content is larger than the largest of its batch in the
/// last listing, plus some slack for files that have grown since.
final class BoundedStorage: StorageLayer {
  let storage: any Storage
  /// The entries of the last listing that were not known before.
  private let listed = Mutex<EntryTable?>(nil)

  /// The number of bytes by which a content may exceed its listed size. A file that grew by more is read after the next
  /// listing.
  static let slack = 1 << 20
  /// The limit for a file whose size was not listed.
  static let unlisted = 1 << 30

  init(storage: any Storage) { self.storage = storage }

  func around<Value: Sendable>(
    _ call: StorageCall, _ work: @Sendable () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value { try await work() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await storage.list(since: known)
    listed.withLock { $0 = snapshot.others }
    return snapshot
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let sizes = listed.withLock { table in
      paths.map { path in table.flatMap { table in table.position(of: path).map { table[$0].size } } ?? 0 }
    }
    return try await storage.read(paths, into: BoundedSink(sink: sink, limit: Self.limit(sizes), address: address))
  }

  /// Returns the size limit for a batch of files with these sizes; 0 is an unknown size.
  static func limit(_ sizes: [Int]) -> Int {
    sizes.allSatisfy { $0 > 0 } ? min(sizes.max() ?? 0, .max - slack) + slack : unlisted
  }
}

/// Passes on contents up to `limit` bytes.
private struct BoundedSink: ContentSink {
  let sink: any ContentSink
  let limit: Int
  let address: String

  func of(_ path: SyncPath) -> any ContentSink {
    BoundedSink(sink: sink.of(path), limit: limit, address: address)
  }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await sink.receive(size: min(size, limit)) { intake throws(SyncError) in
      try await body(BoundedIntake(intake, limit: limit, address: address))
    }
  }
}

/// Counts the bytes of one content. Its owner writes chunks sequentially.
private final class BoundedIntake: ContentIntake {
  private let intake: any ContentIntake
  private let limit: Int
  private let address: String
  private let count = Mutex(0)

  init(_ intake: any ContentIntake, limit: Int, address: String) {
    self.intake = intake
    self.limit = limit
    self.address = address
  }

  func write(_ chunk: [UInt8]) async throws(SyncError) {
    let total = count.withLock { count in
      count += chunk.count
      return count
    }
    guard total <= limit else {
      throw SyncError(
        .pathFailed, "\(address) sends more of a file than \(limit) B, its limit; the next pass lists the file again"
      )
    }
    try await intake.write(chunk)
  }
}
