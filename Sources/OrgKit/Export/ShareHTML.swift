/// The body of an HTML document, without styles and scripts.
struct ShareHTML: ShareWriter {
  var separator: String { "\n" }

  func heading(_ title: [InlineText], level: Int) -> String {
    "<h\(min(level, 6))>\(inline(title))</h\(min(level, 6))>"
  }

  func block(_ block: SharedBlock) -> String {
    switch block {
    case .paragraph(let lines):
      "<p>\n\(lines.map { inline(InlineText.parts(of: $0)) }.joined(separator: "\n"))\n</p>"
    case .list(let items): list(items)
    case .table(let rows, let hasHeading): table(rows, hasHeading)
    case .code(let lines, _): "<pre>\n\(lines.map(Self.escaped).joined(separator: "\n"))\n</pre>"
    case .quote(let blocks): "<blockquote>\n\(blocks.map(self.block).joined(separator: "\n"))\n</blockquote>"
    case .rule: "<hr>"
    }
  }

  private func inline(_ parts: [InlineText]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): Self.escaped(text)
      case .code(let text): "<code>\(Self.escaped(text))</code>"
      case .link(let target, let description): link(target, description)
      case .styled(let style, let parts): "<\(style.element)>\(inline(parts))</\(style.element)>"
      }
    }.joined()
  }

  /// Only schemes that are safe to follow become links.
  private func link(_ target: String, _ description: [InlineText]) -> String {
    let text = description.isEmpty ? Self.escaped(target) : inline(description)
    let schemes = ["http://", "https://", "mailto:", "tel:", "geo:"]
    guard schemes.contains(where: target.lowercased().hasPrefix) else { return text }
    return "<a href=\"\(Self.escaped(target))\">\(text)</a>"
  }

  private func list(_ items: [SharedBlock.Item]) -> String {
    let element = items.first?.number == nil ? "ul" : "ol"
    let start = items.first?.number.map { $0 == 1 ? "" : " start=\"\($0)\"" } ?? ""
    let lines = items.map { item in
      let box = item.isTicked.map { $0 ? "<code>[X]</code> " : "<code>[&nbsp;]</code> " } ?? ""
      let children = item.children.isEmpty ? "" : "\n" + list(item.children) + "\n"
      return "<li>\(box)\(inline(InlineText.parts(of: item.text)))\(children)</li>"
    }
    return "<\(element)\(start)>\n\(lines.joined(separator: "\n"))\n</\(element)>"
  }

  private func table(_ rows: [[String]], _ hasHeading: Bool) -> String {
    let lines = rows.enumerated().map { number, row in
      let cell = hasHeading && number == 0 ? "th" : "td"
      return "<tr>" + row.map { "<\(cell)>\(inline(InlineText.parts(of: $0)))</\(cell)>" }.joined() + "</tr>"
    }
    return "<table>\n\(lines.joined(separator: "\n"))\n</table>"
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}

extension InlineText.Style {
  /// The element of HTML.
  fileprivate var element: String {
    switch self {
    case .bold: "b"
    case .italic: "i"
    case .underlined: "u"
    case .struck: "del"
    }
  }
}
