import SyncKit

/// A value that is bound to a parameter of a statement.
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
