internal import GRDB
internal import GRDBSQLite
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The table `file`.
enum FileTable {
  private static let columns = "path, revision, content, size, modified, digest, checksum"

  /// Returns the file at a path; nil if there is none. Throws `.pathFailed` if its row is damaged.
  static func find(_ path: SyncPath, _ db: Database) throws -> StoredFile? {
    let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM file WHERE path = ?")
    guard let row = try Row.fetchOne(statement, arguments: [StoredPath.bytes(of: path).data]) else { return nil }
    guard let file = file(row) else { throw damagedRow(path.bytes) }
    return file
  }

  /// Calls `body` with each file in folder order, with nil for a damaged row.
  static func each(
    isReversed: Bool = false, _ db: Database, _ body: (StoredFile?) throws -> Void
  ) throws {
    let order = isReversed ? " DESC" : ""
    let rows = try Row.fetchCursor(db, sql: "SELECT \(columns) FROM file ORDER BY path\(order)")
    while let row = try rows.next() { try body(file(row)) }
  }

  /// Calls `body` with the path, revision, size and time of each file in folder order, without an allocation for each. Throws an
  /// error of damage if a row is damaged: a listing without it would be untrue.
  static func list(
    _ db: Database, _ body: (_ path: [UInt8], _ proof: [UInt8], _ size: Int, _ modified: Timestamp) -> Void
  ) throws {
    let statement = unsafe try db.cachedStatement(sql: "SELECT \(columns) FROM file ORDER BY path").sqliteStatement
    defer { unsafe sqlite3_reset(statement) }
    var path: [UInt8] = []
    var proof = [UInt8](repeating: 0, count: 16)
    while true {
      let code = unsafe sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        if code == SQLITE_DONE { return }
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
      guard let row = unsafe ListedRow(statement, &path, &proof) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row has the wrong checksum")
      }
      body(path, proof, row.size, row.modified)
    }
  }

  static func put(_ file: StoredFile, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO file (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)").execute(
      arguments: [
        StoredPath.bytes(of: file.path).data, file.revision, file.content, file.size, file.modified.nanoseconds,
        file.digest.bytes.data, file.checksum,
      ])
  }

  static func remove(_ path: SyncPath, _ db: Database) throws {
    try db.cachedStatement(sql: "DELETE FROM file WHERE path = ?").execute(arguments: [StoredPath.bytes(of: path).data])
  }

  /// Returns true if there are files below a folder.
  static func hasFiles(below folder: SyncPath, _ db: Database) throws -> Bool {
    let start = StoredPath.bytes(of: folder)
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM file WHERE path > ? AND path < ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [(start + [0]).data, (start + [1]).data]) != nil
  }

  static func count(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM file") ?? 0 }

  private static func damagedRow(_ path: [UInt8]) -> SyncError {
    SyncError(.pathFailed, "the row of \(printable(path)) is damaged in the store", remedy: .repairStore)
  }

  /// The file in a row; nil if the row is damaged.
  private static func file(_ row: Row) -> StoredFile? {
    guard let stored = bytes(row, 0), let path = SyncPath(bytes: StoredPath.path(stored)), let digest = bytes(row, 5),
      let digest = Digest(bytes: digest), let revision = Int64.fromDatabaseValue(row[1]),
      let content = Int64.fromDatabaseValue(row[2]), let size = Int.fromDatabaseValue(row[3]),
      let modified = Int64.fromDatabaseValue(row[4]), let checksum = Int64.fromDatabaseValue(row[6])
    else { return nil }
    let file = StoredFile(
      path: path, revision: revision, content: content, size: size, modified: Timestamp(nanoseconds: modified),
      digest: digest)
    return file.checksum == checksum ? file : nil
  }

  private static func bytes(_ row: Row, _ index: Int) -> [UInt8]? {
    (try? row.withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? nil
  }
}

/// The current row of a statement, whose path and revision are written into the caller's arrays.
private struct ListedRow {
  let size: Int
  let modified: Timestamp

  /// Returns nil if the row is damaged.
  init?(_ statement: SQLiteStatement, _ path: inout [UInt8], _ proof: inout [UInt8]) {
    let (stored, digest) = unsafe (Self.bytes(statement, 0), Self.bytes(statement, 5))
    guard digest.count == 32 else { return nil }
    path.removeAll(keepingCapacity: true)
    for index in 0..<stored.count {
      let byte = unsafe stored[index]
      path.append(byte == 0 ? StoredPath.separator : byte)
    }
    let revision = unsafe sqlite3_column_int64(statement, 1)
    size = unsafe Int(sqlite3_column_int64(statement, 3))
    modified = unsafe Timestamp(nanoseconds: sqlite3_column_int64(statement, 4))
    var sum = RowChecksum()
    sum.add(revision)
    sum.add(unsafe sqlite3_column_int64(statement, 2))
    sum.add(Int64(size))
    sum.add(modified.nanoseconds)
    unsafe path.withUnsafeBytes { unsafe sum.add($0) }
    unsafe sum.add(digest)
    guard unsafe sum.value == sqlite3_column_int64(statement, 6) else { return nil }
    for index in 0..<8 {
      proof[index] = UInt8(truncatingIfNeeded: revision >> (56 - 8 * Int64(index)))
      proof[8 + index] = unsafe digest[index]
    }
  }

  private static func bytes(_ statement: SQLiteStatement, _ column: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(statement, column)
    return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
  }
}

extension [UInt8] {
  /// The bytes as a value for a column.
  var data: Data { Data(self) }
}
