internal import GRDB
internal import GRDBSQLite

extension Database {
  /// Executes a statement and passes each row to `body`. The prepared statement is cached.
  func run(_ sql: String, _ values: SQLValue..., body: (Columns) throws -> Void = { _ in }) throws {
    try run(sql, values, body: body)
  }

  func run(_ sql: String, _ values: [SQLValue], body: (Columns) throws -> Void = { _ in }) throws {
    let statement = unsafe try cachedStatement(sql: sql).sqliteStatement
    defer { unsafe sqlite3_reset(statement) }
    for (index, value) in values.enumerated() { try unsafe bind(value, at: Int32(index + 1), of: statement) }
    while try unsafe step(statement) { try unsafe body(Columns(of: statement)) }
  }

  /// Writes a row whose last column is the checksum of the others; see `Columns.verify(first:)`.
  func run(_ sql: String, sealing values: SQLValue...) throws {
    try run(sql, values + [.integer(Checksum.of(values))])
  }

  /// Returns the first row, mapped by `value`; nil if there is none.
  func first<Value>(_ sql: String, _ values: SQLValue..., value: (Columns) throws -> Value) throws -> Value? {
    try first(sql, values, value: value)
  }

  func first<Value>(_ sql: String, _ values: [SQLValue], value: (Columns) throws -> Value) throws -> Value? {
    var first: Value?
    try run(sql, values) { columns in if first == nil { first = try value(columns) } }
    return first
  }

  /// Returns every row, mapped by `value`.
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
      case .text(let text): unsafe sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), Self.copied)
      case .bytes(let bytes): unsafe bind(bytes, at: index, of: statement)
      }
    guard code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
    }
  }

  // An empty array's pointer may be nil, which SQLite would bind as NULL.
  private func bind(_ bytes: [UInt8], at index: Int32, of statement: SQLiteStatement) -> Int32 {
    bytes.isEmpty
      ? unsafe sqlite3_bind_zeroblob(statement, index, 0)
      : unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), Self.copied)
  }

  /// Makes SQLite copy bound values (`SQLITE_TRANSIENT`, a macro that Swift cannot see).
  private static let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
