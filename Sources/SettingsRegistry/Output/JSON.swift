/// A JSON value whose objects keep the order of their members.
public enum JSON: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name. The creator of the object keeps it unique.
    public var name: String
    /// The value.
    public var value: JSON

    /// Creates a member.
    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// Adds the members of another object, which replace members of the same name.
  public mutating func add(_ other: JSON) {
    guard case .object(let members) = other else { return }
    for member in members { self[member.name] = member.value }
  }

  /// The value of the member `name`. Setting it replaces the member or adds one at the end; nil removes it.
  public subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name == name }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let position = members.firstIndex { $0.name == name }
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): members.remove(at: position)
      case (nil, let value?): members.append(Member(name, value))
      case (nil, nil): break
      }
      self = .object(members)
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// An array of the elements.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  /// An object of the elements in their order.
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member($0, $1) }) }
}

extension JSON: CustomStringConvertible {
  /// The value as JSON text (RFC 8259), indented by two spaces per level. Infinities and NaN are null.
  public var description: String { text(indentation: "\n") }

  /// The value as JSON text in one line.
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
    // A terminal may interpret these, or reorder the text.
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
      "\u{2066}"..."\u{2069}":
      "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
    default: String(scalar)
    }
  }
}
