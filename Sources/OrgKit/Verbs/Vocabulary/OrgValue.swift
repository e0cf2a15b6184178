/// The value of an Org variable, as Lisp has it.
public indirect enum OrgValue: Sendable, Hashable {
  /// `nil`
  case none
  /// `t`
  case yes
  /// A whole number.
  case number(Int)
  /// A string.
  case text(String)
  /// A symbol or keyword: `time`, `:maxlevel`.
  case symbol(String)
  /// A list with at least one element.
  case list([OrgValue])
  /// A dotted pair: `("WAITING" . t)`.
  case pair(OrgValue, OrgValue)

  /// True for everything except `nil`.
  public var isTrue: Bool { self != .none }

  /// The text of a string; nil for other values.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The name of a symbol; nil for other values, also for `nil` and `t`.
  public var symbol: String? { if case .symbol(let name) = self { name } else { nil } }

  /// A number; nil for other values.
  public var number: Int? { if case .number(let number) = self { number } else { nil } }

  /// The elements of a list; of `(a . (b c))` all three. Nil for other values, none for `nil`.
  public var elements: [OrgValue]? {
    switch self {
    case .none: []
    case .list(let elements): elements
    case .pair(let first, let rest): rest.elements.map { [first] + $0 }
    default: nil
    }
  }

  /// The parts of a pair; a list is the pair of its first element and the rest.
  public var pair: (first: OrgValue, rest: OrgValue)? {
    switch self {
    case .pair(let first, let rest): (first, rest)
    case .list(let elements): (elements[0], elements.count > 1 ? .list(Array(elements.dropFirst())) : .none)
    default: nil
    }
  }

  /// Returns the value that follows a keyword in a property list such as `(:maxlevel 2 :block today)`.
  public func member(_ keyword: String) -> OrgValue? {
    guard let elements, let place = elements.firstIndex(of: .symbol(keyword)), place + 1 < elements.count else {
      return nil
    }
    return elements[place + 1]
  }
}

extension OrgValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .text(value) }

  /// A number.
  public init(integerLiteral value: Int) { self = .number(value) }

  /// `t` or `nil`.
  public init(booleanLiteral value: Bool) { self = value ? .yes : .none }

  /// A list; an empty one is `nil`.
  public init(arrayLiteral elements: OrgValue...) { self = elements.isEmpty ? .none : .list(elements) }
}

extension OrgValue: Decodable {
  /// Decodes JSON or TOML: `"'x"` is a symbol, `{"cons": [a, b]}` a pair, `{"lisp": "(…)"}` is parsed, `null` and `false` are
  /// `nil`.
  public init(from decoder: any Decoder) throws {
    if let keyed = try? decoder.container(keyedBy: Key.self), !keyed.allKeys.isEmpty {
      self = try Self.special(keyed)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .none
    } else if let flag = try? value.decode(Bool.self) {
      self = flag ? .yes : .none
    } else if let number = try? value.decode(Int.self) {
      self = .number(number.boundedAsWritten)
    } else if let text = try? value.decode(String.self) {
      self = text.first == "'" ? .named(String(text.dropFirst())) : .text(text)
    } else {
      let elements = try value.decode([OrgValue].self)
      self = elements.isEmpty ? .none : .list(elements)
    }
  }

  private enum Key: String, CodingKey { case cons, lisp }

  private static func special(_ keyed: KeyedDecodingContainer<Key>) throws -> OrgValue {
    if let parts = try keyed.decodeIfPresent([OrgValue].self, forKey: .cons), parts.count == 2 {
      return .joined(parts[0], parts[1])
    }
    if let text = try keyed.decodeIfPresent(String.self, forKey: .lisp), let value = OrgValue(lisp: text) {
      return value
    }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: keyed.codingPath, debugDescription: "expected `cons` with two values, or `lisp` with a Lisp value"))
  }

  /// The pair of two values, as a list if it is one.
  static func joined(_ first: OrgValue, _ rest: OrgValue) -> OrgValue {
    switch rest {
    case .none: .list([first])
    case .list(let elements): .list([first] + elements)
    default: .pair(first, rest)
    }
  }

  /// The symbol with this name; `nil` and `t` have their own cases.
  static func named(_ name: String) -> OrgValue {
    switch name {
    case "nil": .none
    case "t": .yes
    default: .symbol(name)
    }
  }
}
