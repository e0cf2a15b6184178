/// The merge result of one entry, ready to be written.
struct MergedEntry: Equatable {
  /// The headline; nil for a preamble.
  var headline: MergedHeadline?
  /// The planning line and the property drawer.
  var head: [Piece] = []
  var body: [Piece] = []
  var conflicts: [FieldConflict] = []
  /// Values that a rule chose or dropped.
  var derived: [String] = []

  /// True if the entry has a conflict.
  var isInConflict: Bool { !conflicts.isEmpty || (head + body).contains(where: \.isDisputed) }
}

/// The headline of a merged entry, without its stars.
struct MergedHeadline: Equatable {
  var keyword: Bytes?
  var priority: Bytes?
  var isComment = false
  var title: Bytes
  var tags: [Bytes]
  /// The line to use unchanged, if the fields are those of a version; its stars do not count.
  var line: Bytes?
  /// The display column at which tags end; nil if they follow the title after one space.
  var tagColumn: Int?
  /// White space at the end of the line.
  var trailing: Bytes = []
  /// The lines of the three versions, if a field of the headline is a conflict.
  var variants: Three<[Bytes]>?

  /// The unchanged headline of a version; `versions` determine the column of additional tags.
  init(_ headline: Headline, among versions: Three<Headline?>) {
    (keyword, priority, isComment) = (headline.keyword, headline.priority, headline.isComment)
    (title, tags, line) = (headline.title, headline.tags, headline.line)
    tagColumn = Self.tagColumn(versions)
  }

  /// Adds a tag unless the headline has it.
  mutating func add(tag: [UInt8]) {
    if tags.contains(where: { $0.elementsEqual(tag) }) { return }
    tags.append(tag[...])
    line = nil
  }

  /// Returns the line with this number of stars.
  func bytes(level: Int) -> [UInt8] {
    let stars = Array(repeating: UInt8.star, count: level)
    if let line { return stars + line.drop { $0 == .star } }
    var text = stars + [.space] + Array(parts.joined(separator: [.space]))
    if !tags.isEmpty {
      let tagText = [.colon] + tags.joined(separator: [.colon]) + [.colon]
      let free = (tagColumn ?? 0) - displayWidth(text) - displayWidth(tagText)
      text += Array(repeating: .space, count: max(parts.isEmpty ? 0 : 1, free)) + tagText
    }
    return text + trailing
  }

  private var parts: [[UInt8]] {
    var parts: [[UInt8]] = []
    if let keyword { parts.append(Array(keyword)) }
    if let priority { parts.append(Array("[#".utf8) + priority + Array("]".utf8)) }
    if isComment { parts.append(Array("COMMENT".utf8)) }
    if !title.isEmpty { parts.append(Array(title)) }
    return parts
  }

  /// The end column of tags in the base; without tags there, that of the side further to the right.
  static func tagColumn(_ versions: Three<Headline?>) -> Int? {
    if let base = versions.base, base.tagText != nil { return base.tagColumn }
    return versions.sides.compactMap { $0?.tagColumn }.max()
  }
}

extension Headline {
  /// The display column at which aligned tags end; nil without tags, or if one space precedes them.
  fileprivate var tagColumn: Int? {
    guard let tagText, tagText.startIndex - line.startIndex >= 2 else { return nil }
    let isAligned = line[tagText.startIndex - 1].isBlank && line[tagText.startIndex - 2].isBlank
    return isAligned ? displayWidth(line[..<tagText.endIndex]) : nil
  }
}
