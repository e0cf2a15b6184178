extension TOMLValue {
  /// The value as TOML text, in one line.
  public var text: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let value): String(value)
    case .float(let value): Self.text(of: value)
    case .boolean(let value): value ? "true" : "false"
    case .dateTime(let value): value.description
    case .array(let nodes): "[" + nodes.map(\.value.text).joined(separator: ", ") + "]"
    case .table(let table): Self.text(of: table)
    case .unreadable: ""
    }
  }

  /// A basic string: quoted as in JSON, with U+007F escaped too.
  static func quoted(_ text: String) -> String {
    JSON.string(text).description.map { $0 == "\u{7F}" ? "\\u007f" : String($0) }.joined()
  }

  private static func text(of value: Double) -> String {
    if value.isNaN { return "nan" }
    return value.isFinite ? String(value) : (value < 0 ? "-inf" : "inf")
  }

  private static func text(of table: TOMLTable) -> String {
    guard !table.entries.isEmpty else { return "{}" }
    return "{ " + table.entries.map { "\(key($0.key.text)) = \($0.node.value.text)" }.joined(separator: ", ") + " }"
  }

  /// A key as TOML text, in quotes if it needs them.
  package static func key(_ text: String) -> String {
    let isBare = !text.isEmpty && text.unicodeScalars.allSatisfy(\.isBareKey)
    return isBare ? text : quoted(text)
  }
}

extension TOMLValue {
  /// The value as JSON; dates and times, and floats that are not numbers, become strings of their TOML text.
  public var json: JSON {
    switch self {
    case .string(let text): .string(text)
    case .integer(let value): .integer(value)
    case .float(let value): value.isFinite ? .number(value) : .string(text)
    case .boolean(let value): .boolean(value)
    case .dateTime: .string(text)
    case .array(let nodes): .array(nodes.map(\.value.json))
    case .table(let table): .object(table.entries.map { JSON.Member($0.key.text, $0.node.value.json) })
    case .unreadable: .null
    }
  }
}
