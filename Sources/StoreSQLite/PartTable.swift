internal import GRDB
internal import SyncKit

/// The table `part`: the bytes of contents, in parts of at most 1 MiB, so that the size of a file costs no memory.
enum PartTable {
  /// The maximum size of a part in bytes.
  static let size = 1 << 20

  /// The numbers of the parts that a content can have.
  private static func ids(of content: Int64) -> ClosedRange<Int64> { content << 20...content << 20 | (1 << 20 - 1) }

  /// Returns a part of a content; nil after the last one.
  static func part(_ number: Int64, of content: Int64, _ db: Database) throws -> [UInt8]? {
    let statement = try db.cachedStatement(sql: "SELECT bytes FROM part WHERE id = ?")
    let row = try Row.fetchOne(statement, arguments: [content << 20 | number])
    return try row?.withUnsafeData(atIndex: 0) { $0.map { [UInt8]($0) } ?? [] }
  }

  /// Returns the whole content of a small file, whatever of it is there.
  static func bytes(of content: Int64, _ db: Database) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var number: Int64 = 0
    while let part = try part(number, of: content, db) {
      bytes += part
      number += 1
    }
    return bytes
  }

  /// Writes a part of a content. An empty content has no parts.
  static func insert(_ bytes: [UInt8], _ number: Int64, of content: Int64, _ db: Database) throws {
    guard number < 1 << 20 else { throw SyncError(.pathFailed, "the file is too large for the store (1 TiB)") }
    try db.cachedStatement(sql: "INSERT INTO part (id, bytes) VALUES (?, ?)").execute(
      arguments: [content << 20 | number, bytes.data])
  }

  /// Writes a whole content.
  static func insert(_ bytes: [UInt8], of content: Int64, _ db: Database) throws {
    var number: Int64 = 0
    for start in stride(from: 0, to: bytes.count, by: size) {
      try insert(Array(bytes[start..<min(start + size, bytes.count)]), number, of: content, db)
      number += 1
    }
  }

  static func remove(_ content: Int64, _ db: Database) throws {
    let ids = ids(of: content)
    try db.cachedStatement(sql: "DELETE FROM part WHERE id BETWEEN ? AND ?").execute(
      arguments: [ids.lowerBound, ids.upperBound])
  }

  /// Returns the number of bytes of a content.
  static func size(of content: Int64, _ db: Database) throws -> Int {
    let ids = ids(of: content)
    return try Int.fetchOne(
      db.cachedStatement(sql: "SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM part WHERE id BETWEEN ? AND ?"),
      arguments: [ids.lowerBound, ids.upperBound]) ?? 0
  }
}
