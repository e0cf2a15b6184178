internal import GRDB
internal import SyncKit

/// The new content of a change, read to its end and verified before the transaction that makes the change.
enum StagedContent: Sendable {
  /// A content in memory.
  case bytes([UInt8], Digest)
  /// A content whose parts are in the database already.
  case parts(Int64, size: Int, Digest)

  var digest: Digest {
    switch self {
    case .bytes(_, let digest), .parts(_, _, let digest): digest
    }
  }

  var size: Int {
    switch self {
    case .bytes(let bytes, _): bytes.count
    case .parts(_, let size, _): size
    }
  }

  /// Reads a content. Throws `.pathFailed` if it has another size or digest than announced.
  init(_ content: Content, at path: SyncPath, in database: StoreDatabase) async throws(SyncError) {
    self =
      if content.size <= PartTable.size { try await Self.small(content) } else {
        try await Self.large(content, in: database)
      }
    guard size == content.size, digest == content.digest else {
      throw SyncError(.pathFailed, "the content of \(path) has the wrong length or checksum")
    }
  }

  private static func small(_ content: Content) async throws(SyncError) -> StagedContent {
    var bytes: [UInt8] = []
    var reader = try content.reader()
    while bytes.count <= PartTable.size, let chunk = try await reader.next() { bytes += chunk }
    return .bytes(bytes, Digest(of: bytes))
  }

  /// Writes the parts one by one. If this is interrupted, the next recovery removes them.
  private static func large(_ content: Content, in database: StoreDatabase) async throws(SyncError) -> StagedContent {
    let number = try await begin(in: database)
    var hasher = DigestHasher()
    var (size, part): (Int, Int64) = (0, 0)
    var rest: [UInt8] = []
    var reader = try content.reader()
    while let chunk = try await reader.next() {
      hasher.update(chunk)
      size += chunk.count
      rest += chunk
      while rest.count >= PartTable.size {
        try await write(Array(rest.prefix(PartTable.size)), part, of: number, in: database)
        rest.removeFirst(PartTable.size)
        part += 1
      }
    }
    if !rest.isEmpty { try await write(rest, part, of: number, in: database) }
    return .parts(number, size: size, hasher.finish())
  }

  /// The content that consists of `bytes`, of any number of parts.
  static func whole(_ bytes: [UInt8]) -> StagedContent { .bytes(bytes, Digest(of: bytes)) }

  private static func begin(in database: StoreDatabase) async throws(SyncError) -> Int64 {
    try await database.turn(.writing) { db in
      var number: Int64 = 0
      try db.inTransaction(.immediate) {
        number = try StoreMeta.counter(db) + 1
        try StoreMeta.set("counter", number, db)
        try db.execute(sql: "INSERT INTO staged VALUES (?)", arguments: [number])
        return .commit
      }
      return number
    }
  }

  private static func write(
    _ bytes: [UInt8], _ part: Int64, of number: Int64, in database: StoreDatabase
  ) async throws(SyncError) {
    try StoreFailpoint.partWriting.reach()
    try await database.turn(.writing) { db in
      try db.inTransaction(.immediate) {
        try PartTable.insert(bytes, part, of: number, db)
        return .commit
      }
    }
    try StoreFailpoint.partWritten.reach()
  }

  /// Writes the content, or takes it over from the staged ones, under the number of a change. Returns its number.
  func publish(for revision: Int64, at path: SyncPath, _ db: Database) throws -> Int64 {
    switch self {
    case .bytes(let bytes, _):
      try PartTable.insert(bytes, of: revision, db)
      return revision
    case .parts(let number, let size, _):
      // Another process may have taken them for leftovers.
      guard try PartTable.size(of: number, db) == size else {
        throw SyncError(.pathFailed, "the content of \(path) was removed while it was written; try again")
      }
      try db.execute(sql: "DELETE FROM staged WHERE content = ?", arguments: [number])
      return number
    }
  }
}
