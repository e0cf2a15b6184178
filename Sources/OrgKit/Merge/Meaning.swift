/// The meaning of a text, independent of its layout: texts with the same meaning differ only in white space, cookies, ticks,
/// list numbers and padding.
enum Meaning {
  static func of(_ block: Block) -> [UInt8] {
    switch block.kind {
    case .verbatim, .dynamic, .encrypted:
      Array(block.lines.map { Array($0.trimmedRight) }.joined(separator: [.newline]))
    case .table: Array(block.lines.map(row).joined(separator: [.newline]))
    case .list: Array(block.lines.map { Array(item($0)) }.joined(separator: [.space]))
    default: Array(block.lines.map { $0.blankingCookies[...].collapsed }.joined(separator: [.space]))
    }
  }

  /// The meaning of all blocks of a section.
  static func of(_ blocks: [Block]) -> [UInt8] { Array(blocks.map { of($0) }.joined(separator: [.newline])) }

  /// Returns the meaning of a whole entry, without stars.
  static func of(_ headline: Headline, _ section: Section) -> [[UInt8]] {
    let planning = section.planning?.items?.map { Array($0.keyword) + $0.timestamp } ?? []
    let properties = (section.drawer?.properties ?? []).map { $0.key.lowercased + [.colon] + $0.value.collapsed }
    let tags = Set(headline.tags.map { Array($0) }).sorted { precedes($0, $1) }
    return [
      Array(headline.keyword ?? []), Array(headline.priority ?? []), headline.isComment ? [1] : [],
      headline.title.collapsed[...].blankingCookies, Array(tags.joined(separator: [.colon])),
      section.planning.map { $0.items == nil ? $0.line.collapsed : [] } ?? [],
      Array(planning.sorted { precedes($0, $1) }.joined(separator: [.space])),
      Array(properties.sorted { precedes($0, $1) }.joined(separator: [.newline])), of(section.blocks),
    ]
  }

  /// Returns a meaning without the delimiters of a block, which do not make two blocks similar.
  static func unframed(_ meaning: [UInt8]) -> Bytes {
    guard meaning[...].hasPrefix(ignoringCase: "#+begin"), let first = meaning.firstIndex(where: \.isBlankOrNewline),
      let last = meaning.lastIndex(where: \.isBlankOrNewline), meaning[(last + 1)...].hasPrefix(ignoringCase: "#+end")
    else { return meaning[...] }
    return meaning[first...last]
  }

  /// Returns the meaning of a list line, without number and tick.
  static func item(_ line: Bytes) -> [UInt8] {
    guard let marker = ListMarker(line) else { return line.blankingCookies[...].collapsed }
    let box = marker.box == nil ? [] : Array("[ ] ".utf8)
    return Array("- ".utf8) + box + line[marker.contentStart...].blankingCookies[...].collapsed
  }

  /// Returns the meaning of a table line, without padding.
  static func row(_ line: Bytes) -> [UInt8] {
    switch TableRow(line) {
    case .rule: Array("|-".utf8)
    case .cells(let cells): Array(cells.joined(separator: Array("|".utf8)))
    case .formula: line.collapsed
    }
  }
}
