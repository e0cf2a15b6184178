extension TOMLValue {
  /// The value as JSON; dates and times, and floats that are no numbers, become strings of their TOML text.
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
