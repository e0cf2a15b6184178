extension OrgEntry {
  /// The state of the task, such as `TODO`; nil if the entry is not a task.
  public var keyword: String? { headline.keyword?.string }

  /// Changes the state of the task to a declared one; nil removes it.
  public mutating func setKeyword(_ keyword: String?) throws(OrgEditError) {
    let new = try keyword.map { keyword throws(OrgEditError) in try keyword.value(of: .keyword) }
    guard new.map({ document.keywords.contains($0.span) }) ?? true else {
      let declared = document.todoKeywords
      throw OrgEditError(field: .keyword, value: keyword, reason: .undeclaredKeyword(declared: declared))
    }
    try change(.keyword, to: keyword, set: { $0.keyword = new }, write: { $0.write(.keyword, new) })
  }

  /// The priority, a letter or a number; nil if there is none.
  public var priority: String? { headline.priority?.string }

  /// Changes the priority to a letter, a digit, or a number up to 64; nil removes it.
  public mutating func setPriority(_ priority: String?) throws(OrgEditError) {
    let new = try priority.map { priority throws(OrgEditError) in try priority.value(of: .priority) }
    guard new.map({ $0.span.isPriority(0..<$0.count) }) ?? true else {
      throw OrgEditError(field: .priority, value: priority, reason: .notAPriority)
    }
    let text = new.map { Array("[#".utf8) + $0 + [UInt8(ascii: "]")] }
    try change(.priority, to: priority, set: { $0.priority = new }, write: { $0.write(.priority, text) })
  }

  /// The title without keyword, priority and tags.
  public var title: String { headline.title.string }

  /// Changes the title; removes outer white space. Rejects a title that Org would parse as another part of the headline, for
  /// example one that ends in a tag.
  public mutating func setTitle(_ title: String) throws(OrgEditError) {
    let new = try title.value(of: .title)
    try change(.title, to: title, set: { $0.title = new }, write: { $0.write(.title, new.isEmpty ? nil : new) })
  }

  /// True if the headline has the keyword COMMENT.
  public var isComment: Bool { headline.isComment }

  /// Adds the keyword COMMENT to the headline, or removes it.
  public mutating func setComment(_ isComment: Bool) throws(OrgEditError) {
    let value = isComment ? "COMMENT" : nil
    try change(.comment, to: value, set: { $0.isComment = isComment }, write: { $0.writeComment(isComment) })
  }

  private mutating func writeComment(_ isComment: Bool) {
    let headline = headline
    let start = isComment ? headline.title.startIndex : commentStart(headline)
    document.replace(start..<headline.title.startIndex, with: Array((isComment ? "COMMENT " : "").utf8))
    realignTags(as: headline)
  }

  /// The tags of the headline itself, in order.
  public var tags: [String] { headline.tags.map(\.string) }

  /// Changes the tags of the headline; an empty array removes them.
  public mutating func setTags(_ tags: [String]) throws(OrgEditError) {
    let new = tags.map { Array($0.utf8) }
    if let index = new.firstIndex(where: { $0.isEmpty || !$0.allSatisfy(\.isTagByte) }) {
      throw OrgEditError(field: .tags, value: tags.joined(separator: " "), reason: .notATag(tags[index]))
    }
    let text = new.isEmpty ? nil : [UInt8.colon] + new.flatMap { $0 + [.colon] }
    try change(.tags, to: tags.joined(separator: " "), set: { $0.tags = new }, write: { $0.write(.tags, text) })
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

  private mutating func write(_ part: Part, _ new: [UInt8]?) {
    let headline = headline
    let old = range(of: part, in: headline)
    switch (old, new) {
    case (.none, .none): return
    case (.some(let old), .some(let new)): document.replace(old, with: new)
    case (.some(let old), .none): remove(old, from: headline)
    case (.none, .some(let new)): insert(part, new, into: headline)
    }
    if part != .tags || old != nil { realignTags(as: headline) }
  }

  /// Removes a part with the white space after it, or before it if it is the last.
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

  /// Aligns tags that were aligned to the same end column.
  private mutating func realignTags(as old: Headline) {
    guard let column = MergedHeadline.tagColumn(Three(base: old, ours: nil, theirs: nil)) else { return }
    let new = headline
    guard let tags = new.tagText else { return }
    let text = new.line[..<tags.startIndex].trimmedRight
    let free = column - displayWidth(text) - displayWidth(tags)
    document.replace(text.endIndex..<tags.startIndex, with: Array(repeating: UInt8.space, count: max(1, free)))
  }
}
