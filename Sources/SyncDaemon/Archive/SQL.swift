internal import GRDB
internal import GRDBSQLite
import SyncKit

/// What is bound to a parameter of a statement.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  static func integer(_ number: Int) -> SQLValue { .integer(Int64(number)) }
  static func integer(_ number: Int?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
  static func text(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
  static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.bytes) ?? .null }
  static func time(_ time: Timestamp) -> SQLValue { .integer(time.nanoseconds) }
  static func digest(_ digest: Digest?) -> SQLValue { .bytes(digest?.bytes) }
  static func path(_ path: SyncPath?) -> SQLValue { .bytes(path.map { StoredPath.bytes(of: $0) }) }
}

/// The values of the row that a statement stands on.
///
/// Any column can be asked for any type: what is of another one is converted as SQLite does it, and never ends the
/// program, because a damaged file may hold anything.
@safe struct Columns {
  fileprivate let statement: SQLiteStatement

  func isNull(_ index: Int32) -> Bool { unsafe sqlite3_column_type(statement, index) == SQLITE_NULL }

  func integer(_ index: Int32) -> Int { Int(unsafe sqlite3_column_int64(statement, index)) }

  func time(_ index: Int32) -> Timestamp { Timestamp(nanoseconds: unsafe sqlite3_column_int64(statement, index)) }

  func text(_ index: Int32) -> String { unsafe String(decoding: raw(index), as: UTF8.self) }

  func bytes(_ index: Int32) -> [UInt8] { unsafe Array(raw(index)) }

  /// The bytes of a column, valid until the statement goes on.
  func raw(_ index: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(statement, index)
    return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
  }

  func optional<Value>(_ index: Int32, _ value: (Int32) throws -> Value) rethrows -> Value? {
    isNull(index) ? nil : try value(index)
  }

  func digest(_ index: Int32) throws(SyncError) -> Digest {
    guard let digest = unsafe Digest(memory: raw(index)) else { throw .damaged("a digest is not 32 bytes long") }
    return digest
  }

  func path(_ index: Int32) throws(SyncError) -> SyncPath {
    guard let path = unsafe StoredPath.path(raw(index)) else { throw .damaged("a path is not valid") }
    return path
  }

  /// Refuses a row whose first `count` columns are not what was written: the checksum stands in the column after them.
  func verify(first count: Int32) throws(SyncError) {
    var checksum = Checksum()
    for index in 0..<count {
      switch unsafe sqlite3_column_type(statement, index) {
      case SQLITE_NULL: checksum.add(.null)
      case SQLITE_INTEGER: checksum.add(unsafe sqlite3_column_int64(statement, index))
      default: unsafe checksum.add(raw(index))
      }
    }
    guard checksum.value == Int64(integer(count)) else {
      throw .damaged("a record is not what was written")
    }
  }

  func choice<Choice: RawRepresentable<String>>(_ index: Int32) throws(SyncError) -> Choice {
    let text = text(index)
    guard let choice = Choice(rawValue: text) else { throw .damaged("“\(printable(text.utf8))” is not a known word") }
    return choice
  }
}

extension Database {
  /// Carries out a statement, and hands each row that it gives to `body`. The statement is prepared once and kept.
  func run(_ sql: String, _ values: SQLValue..., body: (Columns) throws -> Void = { _ in }) throws {
    try run(sql, values, body: body)
  }

  func run(_ sql: String, _ values: [SQLValue], body: (Columns) throws -> Void = { _ in }) throws {
    let statement = unsafe try cachedStatement(sql: sql).sqliteStatement
    defer { unsafe sqlite3_reset(statement) }
    for (index, value) in values.enumerated() { try unsafe bind(value, at: Int32(index + 1), of: statement) }
    while try unsafe step(statement) { try unsafe body(Columns(statement: statement)) }
  }

  /// Writes a row whose last column is the checksum of all others; see `Columns.verify(first:)`.
  func run(_ sql: String, sealing values: SQLValue...) throws {
    try run(sql, values + [.integer(Checksum.of(values))])
  }

  /// What `value` makes of the first row, or nil if there is none.
  func first<Value>(_ sql: String, _ values: SQLValue..., value: (Columns) throws -> Value) throws -> Value? {
    try first(sql, values, value: value)
  }

  func first<Value>(_ sql: String, _ values: [SQLValue], value: (Columns) throws -> Value) throws -> Value? {
    var first: Value?
    try run(sql, values) { columns in if first == nil { first = try value(columns) } }
    return first
  }

  /// What `value` makes of each row.
  func all<Value>(_ sql: String, _ values: SQLValue..., value: (Columns) throws -> Value) throws -> [Value] {
    var all: [Value] = []
    try run(sql, values) { all.append(try value($0)) }
    return all
  }

  private func step(_ statement: SQLiteStatement) throws -> Bool {
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
    }
  }

  private func bind(_ value: SQLValue, at index: Int32, of statement: SQLiteStatement) throws {
    let code =
      switch value {
      case .null: unsafe sqlite3_bind_null(statement, index)
      case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
      case .text(let text): unsafe sqlite3_bind_text(statement, index, text, -1, Self.copied)
      case .bytes(let bytes): unsafe bind(bytes, at: index, of: statement)
      }
    guard code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
    }
  }

  // A pointer to no bytes may be nil, which SQLite would take for NULL.
  private func bind(_ bytes: [UInt8], at index: Int32, of statement: SQLiteStatement) -> Int32 {
    bytes.isEmpty
      ? unsafe sqlite3_bind_zeroblob(statement, index, 0)
      : unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), Self.copied)
  }

  /// Tells SQLite to copy what is bound (`SQLITE_TRANSIENT`, a macro that Swift cannot see).
  private static let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
