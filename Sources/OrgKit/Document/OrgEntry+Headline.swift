extension OrgEntry {
  /// The state of the task, such as `TODO`; nil if it is none.
  public var keyword: String? {
    get { headline.keyword?.string }
    set { set(.keyword, newValue) }
  }

  /// The priority, a letter or a number; nil if there is none.
  public var priority: String? {
    get { headline.priority?.string }
    set { set(.priority, newValue.map { "[#\($0)]" }) }
  }

  /// The title without keyword, priority and tags; line breaks become spaces.
  public var title: String {
    get { headline.title.string }
    set { set(.title, newValue.isEmpty ? nil : newValue) }
  }

  /// True if the headline says COMMENT.
  public var isComment: Bool {
    get { headline.isComment }
    set {
      let headline = headline
      guard newValue != headline.isComment else { return }
      let start = newValue ? headline.title.startIndex : commentStart(headline)
      document.replace(start..<headline.title.startIndex, with: Array((newValue ? "COMMENT " : "").utf8))
      realignTags(as: headline)
    }
  }

  /// The tags of the headline itself, in order.
  public var tags: [String] {
    get { headline.tags.map(\.string) }
    set { set(.tags, newValue.isEmpty ? nil : ":\(newValue.joined(separator: ":")):") }
  }

  /// The parts of a headline that can be changed, in order.
  private enum Part: CaseIterable {
    case keyword, priority, title, tags
  }

  private func range(of part: Part, in headline: Headline) -> Range<Int>? {
    switch part {
    case .keyword: headline.keyword.map { $0.startIndex..<$0.endIndex }
    case .priority: headline.priority.map { $0.startIndex - 2..<$0.endIndex + 1 }
    case .title: headline.title.isEmpty ? nil : headline.title.startIndex..<headline.title.endIndex
    case .tags: headline.tagText.map { $0.startIndex..<$0.endIndex }
    }
  }

  private mutating func set(_ part: Part, _ text: String?) {
    let headline = headline
    let new = text.map { Array($0.utf8.map { $0 == .newline || $0 == .carriageReturn ? .space : $0 }) }
    let old = range(of: part, in: headline)
    if let old, new.map({ $0.elementsEqual(document.bytes[old]) }) ?? false || old.isEmpty { return }
    switch (old, new) {
    case (.none, .none): return
    case (.some(let old), .some(let new)): document.replace(old, with: new)
    case (.some(let old), .none): remove(old, from: headline)
    case (.none, .some(let new)): insert(part, new, into: headline)
    }
    if part != .tags || old != nil { realignTags(as: headline) }
  }

  /// Removes a part with the blanks behind it, or before it if it is the last.
  private mutating func remove(_ part: Range<Int>, from headline: Headline) {
    let bytes = document.bytes
    var range = part
    if part.upperBound == headline.line.trimmedRight.endIndex {
      while bytes[range.lowerBound - 1].isBlank, bytes[range.lowerBound - 2] != .star {
        range = range.lowerBound - 1..<range.upperBound
      }
    } else {
      while bytes[range.upperBound].isBlank { range = range.lowerBound..<range.upperBound + 1 }
    }
    document.replace(range, with: [])
  }

  private mutating func insert(_ part: Part, _ new: [UInt8], into headline: Headline) {
    let later = Part.allCases.drop { $0 != part }.dropFirst().compactMap { range(of: $0, in: headline) }.first
    if let later, !(part == .title && headline.isComment) {
      let comment = headline.isComment && part != .title && later.lowerBound >= headline.title.startIndex
      let position = comment ? commentStart(headline) : later.lowerBound
      document.replace(position..<position, with: new + [.space])
    } else {
      let end = headline.line.trimmedRight.endIndex
      let separator: [UInt8] = end == headline.line.startIndex + headline.level ? [] : [.space]
      let position = separator.isEmpty ? min(end + 1, headline.line.endIndex) : end
      document.replace(position..<position, with: separator + new)
    }
  }

  private func commentStart(_ headline: Headline) -> Int {
    let before = document.bytes[headline.line.startIndex..<headline.title.startIndex]
    return before.trimmedRight.endIndex - "COMMENT".utf8.count
  }

  /// Lets tags that were aligned end at the column where they ended.
  private mutating func realignTags(as old: Headline) {
    guard let column = MergedHeadline.tagColumn(Three(base: old, ours: nil, theirs: nil)) else { return }
    let new = headline
    guard let tags = new.tagText else { return }
    let text = new.line[..<tags.startIndex].trimmedRight
    let free = column - displayWidth(text) - displayWidth(tags)
    document.replace(text.endIndex..<tags.startIndex, with: Array(repeating: UInt8.space, count: max(1, free)))
  }
}
