package import OrgKit

/// A JSON value in a file of calls, or in an answer.
package indirect enum CallValue: Sendable, Hashable {
  case null
  case flag(Bool)
  case number(Int)
  case fraction(Double)
  case text(String)
  case list([CallValue])
  case object([String: CallValue])

  /// The member of an object; nil for null, and for other values.
  package subscript(key: String) -> CallValue? {
    guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
    return member
  }

  /// A text, or a number as text.
  package var text: String? {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    default: nil
    }
  }

  /// A number.
  package var number: Int? { if case .number(let number) = self { number } else { nil } }

  /// True for everything except null and false.
  package var isTrue: Bool { self != .null && self != .flag(false) }

  /// The elements of a list; none for null.
  package var elements: [CallValue] { if case .list(let elements) = self { elements } else { [] } }

  /// The value as Lisp: `"'x"` is a symbol, `{"cons": [a, b]}` a pair.
  package var lisp: OrgValue {
    switch self {
    case .null, .flag(false): .none
    case .flag(true): .yes
    case .number(let number): .number(number)
    case .fraction(let number): .text(String(number))
    case .text(let text): text.first == "'" ? OrgValue(lisp: text) ?? .none : .text(text)
    case .list(let elements): elements.isEmpty ? .none : .list(elements.map(\.lisp))
    case .object(let members):
      if let parts = members["cons"]?.elements, parts.count == 2 {
        .pair(parts[0].lisp, parts[1].lisp)
      } else {
        members["lisp"]?.text.flatMap { OrgValue(lisp: $0) } ?? .none
      }
    }
  }
}

extension CallValue: Codable {
  package init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Name.self) {
      var members: [String: CallValue] = [:]
      for key in object.allKeys { members[key.stringValue] = try object.decode(CallValue.self, forKey: key) }
      self = .object(members)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Int.self) {
      self = .number(number)
    } else if let number = try? value.decode(Double.self) {
      self = .fraction(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try value.decode([CallValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .flag(let flag): try value.encode(flag)
    case .number(let number): try value.encode(number)
    case .fraction(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let elements): try value.encode(elements)
    case .object(let members): try value.encode(members)
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }
}
