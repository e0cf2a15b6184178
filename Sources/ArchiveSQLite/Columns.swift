internal import GRDB
internal import GRDBSQLite
import SyncKit

/// The values of a statement's current row.
///
/// Any column can be read as any type: SQLite converts values of other types, which never ends the program, because a damaged
/// file may contain anything.
@safe struct Columns {
  private let statement: SQLiteStatement

  /// The current row of `statement`; valid until its next step.
  init(of statement: SQLiteStatement) { unsafe self.statement = statement }

  func isNull(_ index: Int32) -> Bool { unsafe sqlite3_column_type(statement, index) == SQLITE_NULL }

  func integer(_ index: Int32) -> Int { Int(unsafe sqlite3_column_int64(statement, index)) }

  func time(_ index: Int32) -> Timestamp { Timestamp(nanoseconds: unsafe sqlite3_column_int64(statement, index)) }

  func text(_ index: Int32) -> String { unsafe String(decoding: raw(index), as: UTF8.self) }

  func bytes(_ index: Int32) -> [UInt8] { unsafe Array(raw(index)) }

  /// Returns the bytes of a column; valid until the statement's next step.
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

  /// Throws if the first `count` columns do not match the checksum in the column after them.
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
      throw .damaged("a record has the wrong checksum")
    }
  }

  func choice<Choice: RawRepresentable<String>>(_ index: Int32) throws(SyncError) -> Choice {
    let text = text(index)
    guard let choice = Choice(rawValue: text) else { throw .damaged("unknown value “\(printable(text.utf8))”") }
    return choice
  }
}
