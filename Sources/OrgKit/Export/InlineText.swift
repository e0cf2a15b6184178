/// A part of a line of text: plain text, a link, or text with markup.
indirect enum InlineText: Sendable, Hashable {
  case text(String)
  case link(target: String, description: [InlineText])
  case styled(Style, [InlineText])
  case code(String)

  /// A style of text.
  enum Style: Sendable, Hashable { case bold, italic, underlined, struck }

  /// Parses Org's markup and links.
  static func parts(of text: String) -> [InlineText] {
    var parser = InlineParser(text)
    return parser.parts()
  }

  /// The text without markup; a link is its description, otherwise its target.
  var plain: String {
    switch self {
    case .text(let text), .code(let text): text
    case .link(let target, let description): description.isEmpty ? target : description.map(\.plain).joined()
    case .styled(_, let parts): parts.map(\.plain).joined()
    }
  }
}

/// Parses a text from left to right. Markup that does not close is text.
private struct InlineParser {
  private let text: String
  private var place: String.Index
  private var parsed: [InlineText] = []
  private var plain = ""

  init(_ text: String) { (self.text, place) = (text, text.startIndex) }

  mutating func parts() -> [InlineText] {
    while place < text.endIndex {
      if let (part, end) = link() ?? address() ?? markup() {
        finishPlain()
        parsed.append(part)
        place = end
      } else {
        plain.append(text[place])
        place = text.index(after: place)
      }
    }
    finishPlain()
    return parsed
  }

  private mutating func finishPlain() {
    if !plain.isEmpty { parsed.append(.text(plain)) }
    plain = ""
  }

  /// `[[target]]` or `[[target][description]]`.
  private func link() -> (InlineText, String.Index)? {
    guard text[place...].hasPrefix("[["), let end = text[place...].range(behind: "]]") else { return nil }
    let inner = String(text[text.index(place, offsetBy: 2)..<text.index(end, offsetBy: -2)])
    let parts = inner.parts(between: "][")
    guard let target = parts.first, !target.isEmpty, parts.count <= 2 else { return nil }
    return (.link(target: target, description: parts.count > 1 ? InlineText.parts(of: parts[1]) : []), end)
  }

  /// `https://…` in the text.
  private func address() -> (InlineText, String.Index)? {
    guard text[place] == "h", ["https://", "http://"].contains(where: text[place...].hasPrefix), isBehindBoundary else {
      return nil
    }
    var address = text[place...].prefix { !$0.isWhitespace && !"<>[]\"".contains($0) }
    while let last = address.last, ".,;:!?)'".contains(last) { address = address.dropLast() }
    return (.link(target: String(address), description: []), address.endIndex)
  }

  private func markup() -> (InlineText, String.Index)? {
    let marker = text[place]
    guard "*/_+=~".contains(marker), isBehindBoundary else { return nil }
    let start = text.index(after: place)
    guard start < text.endIndex, !text[start].isWhitespace else { return nil }
    var end = start
    while let found = text[end...].firstIndex(of: marker) {
      if found > start, !text[text.index(before: found)].isWhitespace, isBoundary(behind: found) {
        return (styled(marker, String(text[start..<found])), text.index(after: found))
      }
      end = text.index(after: found)
    }
    return nil
  }

  private func styled(_ marker: Character, _ inner: String) -> InlineText {
    switch marker {
    case "*": .styled(.bold, InlineText.parts(of: inner))
    case "/": .styled(.italic, InlineText.parts(of: inner))
    case "_": .styled(.underlined, InlineText.parts(of: inner))
    case "+": .styled(.struck, InlineText.parts(of: inner))
    default: .code(inner)
    }
  }

  private var isBehindBoundary: Bool {
    guard place > text.startIndex else { return true }
    let before = text[text.index(before: place)]
    return before.isWhitespace || "-({'\"".contains(before)
  }

  private func isBoundary(behind found: String.Index) -> Bool {
    let next = text.index(after: found)
    return next == text.endIndex || text[next].isWhitespace || "-.,:!?;'\")}[".contains(text[next])
  }
}
