/// A value of a TOML document.
public enum TOMLValue: Sendable, Hashable {
  case string(String)
  case integer(Int)
  case float(Double)
  case boolean(Bool)
  case dateTime(TOMLDateTime)
  case array([TOMLNode])
  case table(TOMLTable)
  /// Stands where a value could not be read, so that its key counts as present. The document's mistakes say why.
  case unreadable
}

extension TOMLValue {
  /// What kind of value this is, with its article, for messages.
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
