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
    var text = ""
    write(to: &text, indentation)
    return text
  }

  private func write(to text: inout String, _ indentation: String?) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += value.isFinite ? String(value) : "null"
    case .string(let value): Self.quote(value, to: &text)
    case .array(let values):
      Self.write(values, in: ("[", "]"), to: &text, indentation) { value, text, indentation in
        value.write(to: &text, indentation)
      }
    case .object(let members):
      Self.write(members, in: ("{", "}"), to: &text, indentation) { member, text, indentation in
        Self.quote(member.name, to: &text)
        text += ": "
        member.value.write(to: &text, indentation)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item], in ends: (String, String), to text: inout String, _ indentation: String?,
    _ write: (Item, inout String, String?) -> Void
  ) {
    text += ends.0
    let deeper = indentation.map { $0 + "  " }
    for (place, item) in items.enumerated() {
      if place > 0 { text += indentation == nil ? ", " : "," }
      if let deeper { text += deeper }
      write(item, &text, deeper)
    }
    if let indentation, !items.isEmpty { text += indentation }
    text += ends.1
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    // Most texts are ASCII without a character to escape.
    let isPlain = value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    if isPlain { text += value } else { for scalar in value.unicodeScalars { append(scalar, to: &text) } }
    text += "\""
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    // A terminal may interpret these, or reorder the text.
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
      "\u{2066}"..."\u{2069}":
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }
}
