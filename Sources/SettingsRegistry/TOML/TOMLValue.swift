/// A value of a TOML document.
public enum TOMLValue: Sendable, Hashable {
  case string(String)
  case integer(Int)
  case float(Double)
  case boolean(Bool)
  case dateTime(TOMLDateTime)
  case array([TOMLNode])
  case table(TOMLTable)
  /// A value that could not be read, so that its key counts as present. The document's mistakes say why.
  case unreadable
}

extension TOMLValue {
  /// The kind of the value with its article, for messages.
  public var kind: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .boolean: "a boolean"
    case .dateTime: "a date or time"
    case .array: "an array"
    case .table: "a table"
    case .unreadable: "an unreadable value"
    }
  }
}

/// A value and its location.
public struct TOMLNode: Sendable, Hashable {
  /// The value.
  public var value: TOMLValue
  /// The position at which it begins; for a table with its own header, the position of the header.
  public var location: TextLocation

  /// Creates a value at `location`.
  public init(_ value: TOMLValue, at location: TextLocation) {
    self.value = value
    self.location = location
  }
}

/// A key, or one part of a dotted key, and its location.
///
/// Keys are equal only if their bytes are: TOML, unlike `String`, distinguishes composed and decomposed letters.
public struct TOMLKey: Sendable, Hashable {
  /// The key without quotes.
  public let text: String
  /// The position at which it begins.
  public let location: TextLocation

  /// Creates a key at `location`.
  public init(_ text: String, at location: TextLocation) {
    self.text = text
    self.location = location
  }

  /// Compares the bytes of the keys, not their locations.
  public static func == (first: Self, second: Self) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Hashes the bytes of the text.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

/// A table of a TOML document, its entries in the order of the file.
public struct TOMLTable: Sendable, Hashable {
  /// One key with its value.
  public struct Entry: Sendable, Hashable {
    /// The key and its location.
    public let key: TOMLKey
    /// The value and its location.
    public let node: TOMLNode
  }

  /// All entries; no two have the same key.
  public private(set) var entries: [Entry] = []
  private var positions: [TOMLKey: Int] = [:]

  /// Creates an empty table.
  public init() {}

  /// The entry whose key has exactly these bytes.
  public subscript(key: String) -> Entry? {
    positions[TOMLKey(key, at: TextLocation(file: ""))].map { entries[$0] }
  }

  /// Adds an entry whose key is new to this table.
  package mutating func append(_ key: TOMLKey, _ node: TOMLNode) {
    positions[key] = entries.count
    entries.append(Entry(key: key, node: node))
  }
}
