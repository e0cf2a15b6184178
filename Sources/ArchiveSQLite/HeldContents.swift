import SyncKit

/// The contents that an archive holds: those that are pending, those in the database and those in files.
struct HeldContents: Sendable {
  let database: ArchiveDatabase
  let files: ContentFiles

  /// Up to this size a content goes into the database, beyond it into a file of its own.
  static let largestInMemory = 256 << 10

  /// Takes a small content in. It is durable after the next transaction, and can be read at once.
  func add(_ bytes: [UInt8], _ digest: Digest) async throws(SyncError) {
    do throws(SyncError) {
      try await write(database.pending.add(.bytes(bytes), digest))
    } catch {
      database.pending.remove([digest])
      throw error
    }
  }

  /// Takes a large content in, which is in a temporary file. It counts as held after the next transaction.
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

  /// Makes everything durable that was taken in.
  func flush() async throws(SyncError) {
    guard !database.pending.isEmpty else { return }
    try await database.write(between: .contentsWriting, and: .contentsWritten) { _ in }
  }

  /// The content with this digest, or nil if it is not held; an error if its bytes are not what they were.
  func content(_ digest: Digest) async throws(SyncError) -> Content? {
    try await contents([digest])[digest]
  }

  /// The contents that are held, with one query.
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

  /// Which of these contents are held.
  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> {
    try await database.read { [pending = database.pending] db in
      try digests.filter { try pending[$0] != nil || ContentTable.holds($0, db) }
    }
  }
}
