extension JSON: CustomStringConvertible {
  /// The value as JSON text (RFC 8259), in lines of two blanks per level; numbers that JSON lacks are null.
  public var description: String { text(indentation: "\n") }

  /// The same in one line.
  public var line: String { text(indentation: nil) }

  private func text(indentation: String?) -> String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): value.isFinite ? String(value) : "null"
    case .string(let value): Self.quoted(value)
    case .array(let values):
      Self.lines(values.map { $0.text(indentation: Self.deeper(indentation)) }, in: ("[", "]"), indentation)
    case .object(let members):
      Self.lines(
        members.map { "\(Self.quoted($0.name)): \($0.value.text(indentation: Self.deeper(indentation)))" },
        in: ("{", "}"), indentation)
    }
  }

  private static func deeper(_ indentation: String?) -> String? { indentation.map { $0 + "  " } }

  private static func lines(_ items: [String], in ends: (String, String), _ indentation: String?) -> String {
    guard !items.isEmpty else { return ends.0 + ends.1 }
    guard let indentation else { return ends.0 + items.joined(separator: ", ") + ends.1 }
    return ends.0 + items.map { indentation + "  " + $0 }.joined(separator: ",") + indentation + ends.1
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0"..."\u{1F}": "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: String(scalar)
    }
  }
}
