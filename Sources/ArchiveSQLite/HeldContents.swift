import SyncKit

/// The contents that an archive holds: pending ones, those in packs and those in files of their own.
struct HeldContents: Sendable {
  let database: ArchiveDatabase
  let files: ContentFiles
  let packs: PackReader

  /// The largest size of a content in a pack; larger ones have their own files.
  static let largestInMemory = 1 << 20

  /// Adds a small content, of this path if it is known. It can be read at once, and is durable after the next transaction.
  func add(_ bytes: [UInt8], _ digest: Digest, at path: SyncPath?) async throws(SyncError) {
    do throws(SyncError) {
      try await write(database.pending.add(.bytes(bytes, at: path), digest))
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
    case .soon: database.startPacking()
    case .now: try await database.pack()
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
    do throws(SyncError) {
      return try read(try await find(digests))
    } catch {
      guard error.code == .notFound else { throw error }
    }
    // The service has rewritten the pack since the query, or it is lost.
    packs.forget()
    do throws(SyncError) {
      return try read(try await find(digests))
    } catch {
      throw error.code == .notFound ? .damaged(error.message) : error
    }
  }

  private enum Found: Sendable {
    case bytes([UInt8])
    case stored(StoredContent)
  }

  private func find(_ digests: Set<Digest>) async throws(SyncError) -> [(Digest, Found)] {
    try await database.read { [pending = database.pending] db in
      try digests.compactMap { digest in
        switch pending[digest] {
        case .bytes(let bytes, _): (digest, .bytes(bytes))
        case .packed(let block, let member): (digest, .stored(try BlockTable.content(member, in: block, db)))
        case .file(let size): (digest, .stored(.file(size: size)))
        case .held, nil: try ContentTable.find(digest, db).map { (digest, .stored($0)) }
        }
      }
    }
  }

  private func read(_ found: [(Digest, Found)]) throws(SyncError) -> [Digest: Content] {
    var contents: [Digest: Content] = [:]
    var packed: [(digest: Digest, content: PackedContent)] = []
    for (digest, found) in found {
      switch found {
      case .bytes(let bytes): contents[digest] = Content(bytes, digest: digest)
      case .stored(.file(let size)): contents[digest] = try files.content(digest, size: size)
      case .stored(.packed(let content)): packed.append((digest, content))
      }
    }
    // Contents of one block are read together.
    for (digest, content) in packed.sorted(by: { $0.content.precedes($1.content) }) {
      let bytes = try packs.bytes(of: content, digest)
      guard Digest(of: bytes) == digest else { throw .damaged("the content \(digest) has the wrong checksum") }
      contents[digest] = Content(bytes, digest: digest)
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
