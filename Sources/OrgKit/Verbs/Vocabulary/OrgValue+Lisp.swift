extension OrgValue {
  /// Parses one Lisp value: numbers, strings, symbols, lists, pairs and quotes. Returns nil for anything else; nothing is
  /// evaluated.
  public init?(lisp text: String) {
    var reader = LispReader(text)
    guard let value = reader.value() else { return nil }
    self = value
  }

  /// Parses the values of a line such as `:scope file :maxlevel 2` up to the first that is invalid.
  public static func values(lisp text: String) -> [OrgValue] {
    var reader = LispReader(text)
    var values: [OrgValue] = []
    while let value = reader.value() { values.append(value) }
    return values
  }
}

/// Parses Lisp data.
private struct LispReader {
  private var rest: Substring
  private var depth = 0

  /// Deeper values are refused: each level takes a part of the stack.
  private static let greatestDepth = 100

  init(_ text: String) { rest = text[...] }

  mutating func value() -> OrgValue? {
    skipBlanks()
    guard let first = rest.first, depth < Self.greatestDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    switch first {
    case "(": return list()
    case "\"": return string()
    case "'":
      rest = rest.dropFirst()
      return value()
    case "#":
      rest = rest.dropFirst(rest.hasPrefix("#'") ? 2 : 1)
      return value()
    case ")": return nil
    default: return atom()
    }
  }

  private mutating func skipBlanks() {
    while let first = rest.first, first.isWhitespace || first == ";" {
      rest = first == ";" ? rest.drop { !$0.isNewline } : rest.dropFirst()
    }
  }

  private mutating func list() -> OrgValue? {
    rest = rest.dropFirst()
    var elements: [OrgValue] = []
    while true {
      skipBlanks()
      guard let first = rest.first else { return nil }
      if first == ")" {
        rest = rest.dropFirst()
        return elements.isEmpty ? OrgValue.none : .list(elements)
      }
      if first == ".", rest.dropFirst().first?.isWhitespace ?? false, !elements.isEmpty {
        return dotted(elements)
      }
      guard let element = value() else { return nil }
      elements.append(element)
    }
  }

  private mutating func dotted(_ elements: [OrgValue]) -> OrgValue? {
    rest = rest.dropFirst()
    guard elements.count < Self.greatestDepth, let last = value() else { return nil }
    skipBlanks()
    guard rest.first == ")" else { return nil }
    rest = rest.dropFirst()
    return elements.reversed().reduce(last) { OrgValue.joined($1, $0) }
  }

  private mutating func string() -> OrgValue? {
    rest = rest.dropFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return .text(text) }
      guard character == "\\", let escaped = rest.popFirst() else {
        text.append(character)
        continue
      }
      switch escaped {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "\n": break
      default: text.append(escaped)
      }
    }
    return nil
  }

  private mutating func atom() -> OrgValue? {
    let word = rest.prefix { !$0.isWhitespace && !"()\"".contains($0) }
    rest = rest.dropFirst(word.count)
    return Int(written: word).map(OrgValue.number) ?? .named(String(word))
  }
}
