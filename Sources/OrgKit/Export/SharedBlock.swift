/// A part of an entry's text as it is shared: what Org keeps for itself, such as drawers and logs, is left out.
enum SharedBlock: Sendable, Hashable {
  /// Lines of text.
  case paragraph([String])
  case list([Item])
  /// Cells by row; true if the first row is the heading.
  case table([[String]], hasHeading: Bool)
  case code([String], language: String)
  case quote([SharedBlock])
  case rule

  /// An item of a list.
  struct Item: Sendable, Hashable {
    var text: String
    /// The number of an item of a numbered list; nil for other lists.
    var number: Int?
    /// The checkbox: true for ticked, nil for none.
    var isTicked: Bool?
    var children: [Item]
  }

  /// Returns the parts of a text.
  static func blocks(_ blocks: [OrgBlock]) -> [SharedBlock] { blocks.flatMap(parts) }

  private static func parts(of block: OrgBlock) -> [SharedBlock] {
    switch block.kind {
    case .paragraph, .footnote, .inlineTask: return [.paragraph(lines(of: block).map { String($0.trimmedBlanks) })]
    case .list: return [.list(items(block.items))]
    case .table:
      let second = lines(of: block).dropFirst().first.map { $0.trimmedBlanks.hasPrefix("|-") } ?? false
      return [.table(block.rows, hasHeading: second)]
    case .container("quote"): return [.quote(inner(of: block))]
    case .container, .dynamic: return inner(of: block)
    case .verbatim(let name) where name != "comment" && name != "export":
      let code = lines(of: block)
      let words = code.first?.split(separator: " ") ?? []
      let language = name == "src" && words.count > 1 ? String(words[1]) : ""
      return [.code(Array(code.dropFirst().dropLast()), language: language)]
    case .fixedWidth: return [.code(lines(of: block).map { String($0.trimmedBlanks.dropFirst(2)) }, language: "")]
    case .rule: return [.rule]
    case .encrypted: return [.paragraph(["(encrypted)"])]
    case .verbatim, .drawer, .properties, .log, .comment, .keyword: return []
    }
  }

  private static func lines(of block: OrgBlock) -> [String] {
    block.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).filter { line in
      !line.lowercased().hasPrefix("#+name:") && !line.lowercased().hasPrefix("#+caption:")
        && !line.lowercased().hasPrefix("#+attr_")
    }
  }

  /// The parts between the first and last line of a block.
  private static func inner(of block: OrgBlock) -> [SharedBlock] {
    let text = lines(of: block).dropFirst().dropLast().joined(separator: "\n")
    return blocks(OrgDocument(text).preamble)
  }

  private static func items(_ items: [OrgListItem]) -> [Item] {
    items.map { item in
      let number = Int(written: item.bullet.prefix { $0.isNumber })
      let box = item.box.map { $0 == .ticked }
      return Item(text: item.text, number: number, isTicked: box, children: self.items(item.children))
    }
  }
}
