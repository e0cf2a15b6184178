/// The parts of a headline as positions in a buffer.
struct HeadlineParts {
  let start: Int
  let level: Int
  let keyword: Range<Int>?
  let priority: Range<Int>?
  /// The title with COMMENT and cookies; empty at its place if there is none.
  let title: Range<Int>
  /// The tags with all their colons.
  let tags: Range<Int>?
  let isComment: Bool
  let end: Int

  /// The end of the last part before the title.
  var headEnd: Int { (priority ?? keyword)?.upperBound ?? start + level }
}

extension OrgEditor {
  /// Returns the parts of a headline.
  mutating func parts(_ heading: Int) -> HeadlineParts {
    let line = Headline(buffer.line(heading), keywords: options.states.keywords)
    let keyword = line.keyword.map { $0.startIndex..<$0.endIndex }
    let priority = line.priority.map { $0.startIndex - 2..<$0.endIndex + 1 }
    let tags = line.tagText.map { $0.startIndex..<$0.endIndex }
    let end = buffer.lineEnd(heading)
    let headEnd = (priority ?? keyword)?.upperBound ?? heading + line.level
    let titleEnd = buffer.skipBlanksBackwards(tags?.lowerBound ?? end, to: headEnd)
    let titleStart = min(buffer.skipBlanks(headEnd), max(titleEnd, headEnd))
    return HeadlineParts(
      start: heading, level: line.level, keyword: keyword, priority: priority,
      title: titleStart..<max(titleStart, titleEnd), tags: tags, isComment: line.isComment, end: end)
  }

  /// Returns the keyword of a headline.
  mutating func keyword(_ heading: Int) -> String? { parts(heading).keyword.map { buffer.text[$0].string } }

  /// Returns the title of a headline without keyword, priority, COMMENT and tags.
  mutating func title(_ heading: Int) -> String {
    Headline(buffer.line(heading), keywords: options.states.keywords).title.string
  }

  /// Returns the headline's own tags.
  mutating func tags(_ heading: Int) -> [String] {
    parts(heading).tags.map { buffer.text[$0].parts { $0 == .colon }.map(\.string) } ?? []
  }

  /// Returns the tags of the file and of the entry's parents, from the top, without duplicates.
  mutating func inheritedTags(_ heading: Int) -> [String] {
    guard isOn("org-use-tag-inheritance", default: true) else { return [] }
    var found = options.tags
    for parent in buffer.ancestors(heading).dropLast() { found += tags(parent) }
    let excluded = value("org-tags-exclude-from-inheritance").elements?.compactMap(\.text) ?? []
    var seen: Set<String> = []
    return found.filter { !excluded.contains($0) && seen.insert($0).inserted }
  }

  // MARK: Tags

  /// Writes the tags of a headline and aligns them.
  mutating func setTags(_ new: [String], _ heading: Int) {
    let sorted = sortedTags(new)
    if sorted != tags(heading) {
      let parts = parts(heading)
      let start = buffer.skipBlanksBackwards(parts.tags?.lowerBound ?? parts.end, to: heading)
      let needsBlank = start == heading + parts.level
      let text = sorted.isEmpty ? "" : " :\(sorted.joined(separator: ":")):"
      buffer.replace(start..<parts.end, with: (needsBlank ? " " : "") + text)
    }
    if !sorted.isEmpty { alignTags(heading) }
  }

  private mutating func sortedTags(_ tags: [String]) -> [String] {
    switch value("org-tags-sort-function").symbol {
    case "org-string<", "string<", "string-lessp", "org-string-collate-lessp": tags.sorted()
    case "org-string>", "string>", "string-greaterp": tags.sorted(by: >)
    default: tags
    }
  }

  /// Aligns the tags of a headline to `org-tags-column`.
  mutating func alignTags(_ heading: Int) {
    guard let tags = parts(heading).tags else { return }
    let column = value("org-tags-column", default: .number(-77)).number ?? -77
    let blankStart = buffer.skipBlanksBackwards(tags.lowerBound, to: heading)
    let line = buffer.line(heading)
    let titleWidth = columnWidth(line[..<blankStart])
    let tagsWidth = columnWidth(buffer.text[tags])
    let wanted = max(column >= 0 ? column : -column - tagsWidth, titleWidth + 1)
    if wanted == columnWidth(line[..<tags.lowerBound]) { return }
    buffer.replace(blankStart..<tags.lowerBound, with: String(repeating: " ", count: wanted - titleWidth))
  }

  /// Aligns the tags of a headline unless `org-auto-align-tags` is off.
  mutating func alignTagsIfWanted(_ heading: Int) {
    if isOn("org-auto-align-tags", default: true) { alignTags(heading) }
  }
}

/// Returns the screen columns of a text at the start of a line, with tabs of eight.
func columnWidth(_ text: Bytes) -> Int {
  var width = 0
  for (place, part) in text.split(separator: .tab, omittingEmptySubsequences: false).enumerated() {
    if place > 0 { width = (width / 8 + 1) * 8 }
    width += displayWidth(part)
  }
  return width
}
