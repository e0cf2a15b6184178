import SyncKit

/// The contents that an archive holds: pending ones, those in the database and those in files.
struct HeldContents: Sendable {
  let database: ArchiveDatabase
  let files: ContentFiles

  /// The largest size of a content in the database; larger ones have their own files.
  static let largestInMemory = 256 << 10

  /// Adds a small content. It can be read at once, and is durable after the next transaction.
  func add(_ bytes: [UInt8], _ digest: Digest) async throws(SyncError) {
    do throws(SyncError) {
      try await write(database.pending.add(.bytes(bytes), digest))
    } catch {
      database.pending.remove([digest])
      throw error
    }
  }

  /// Adds a large content from a temporary file. It counts as held after the next transaction.
  func add(_ file: StateFile, size: Int, _ digest: Digest) async throws(SyncError) {
    do throws(SyncError) {
      try ArchiveFailpoint.fileWriting.reach()
      try files.prepare(file, as: digest)
      let due = try database.pending.add(.file(size: size), digest) { () throws(SyncError) in
        try files.publish(file, as: digest)
      }
      try files.syncFolder(of: digest)
      try ArchiveFailpoint.fileWritten.reach()
      try await write(due)
    } catch {
      database.pending.remove([digest])
      files.discard(file)
      throw error
    }
  }

  private func write(_ due: PendingContents.Due) async throws(SyncError) {
    switch due {
    case .later: break
    case .soon: database.writePending()
    case .now: try await flush()
    }
  }

  /// Makes all added contents durable.
  func flush() async throws(SyncError) {
    guard !database.pending.isEmpty else { return }
    try await database.write(between: .contentsWriting, and: .contentsWritten) { _ in }
  }

  /// Returns the content with this digest, or nil if it is not held. Throws if its bytes are damaged.
  func content(_ digest: Digest) async throws(SyncError) -> Content? {
    try await contents([digest])[digest]
  }

  /// Returns the contents that are held, with one query.
  func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content] {
    let stored = try await database.read { [pending = database.pending] db in
      try digests.compactMap { digest in
        if let fresh = pending[digest] { return (digest, fresh, isVerified: true) }
        return try ContentTable.find(digest, db).map { (digest, $0, isVerified: false) }
      }
    }
    var contents: [Digest: Content] = [:]
    for (digest, content, isVerified) in stored {
      switch content {
      case .file(let size): contents[digest] = try files.content(digest, size: size)
      case .bytes(let bytes):
        guard isVerified || Digest(of: bytes) == digest else {
          throw .damaged("the content \(digest) has the wrong checksum")
        }
        contents[digest] = Content(bytes, digest: digest)
      }
    }
    return contents
  }

  /// Returns the subset of these contents that is held.
  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> {
    try await database.read { [pending = database.pending] db in
      try digests.filter { try pending[$0] != nil || ContentTable.holds($0, db) }
    }
  }
}
