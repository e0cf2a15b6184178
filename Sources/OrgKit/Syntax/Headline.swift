/// A headline taken apart; every part is a stretch of the line.
struct Headline {
  let line: Bytes
  let level: Int
  var keyword: Bytes?
  /// What stands in `[#…]`.
  var priority: Bytes?
  var isComment = false
  var title: Bytes
  /// The tags with all their colons.
  var tagText: Bytes?

  /// Reads a line that begins with stars; a first word that is not among `keywords` belongs to the title.
  init(_ line: Bytes, keywords: Keywords) {
    self.line = line
    level = line.prefix { $0 == .star }.count
    let content = line.dropFirst(level).trimmed
    tagText = Self.tags(at: content)
    title = tagText.map { line[content.startIndex..<$0.startIndex].trimmedRight } ?? content
    keyword = takeWord { keywords.contains($0) }
    priority = takePriority()
    isComment = takeWord { $0.elementsEqual("COMMENT".utf8) } != nil
  }

  /// The single tags in order; empty ones are left out.
  var tags: [Bytes] { tagText?.split(separator: .colon) ?? [] }

  /// The tags at the end of a headline: behind white space or the stars, between colons, up to the end of the line.
  private static func tags(at content: Bytes) -> Bytes? {
    guard content.last == .colon else { return nil }
    var start = content.endIndex
    while start > content.startIndex, content[start - 1] == .colon || content[start - 1].isTagByte { start -= 1 }
    let tags = content[start...]
    let stands = start == content.startIndex || content[start - 1].isBlank
    return stands && tags.first == .colon && tags.count > 1 ? tags : nil
  }

  private mutating func takeWord(where isWanted: (Bytes) -> Bool) -> Bytes? {
    let word = title.prefix { $0 != .space }
    guard !word.isEmpty, isWanted(word) else { return nil }
    title = title[word.endIndex...].trimmedLeft
    return word
  }

  private mutating func takePriority() -> Bytes? {
    guard title.starts(with: "[#".utf8), let close = title.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let value = title[(title.startIndex + 2)..<close]
    guard isPriority(value) else { return nil }
    title = title[(close + 1)...].trimmedLeft
    return value
  }
}

/// A letter or digit, or a number up to 64.
func isPriority(_ value: Bytes) -> Bool {
  guard let first = value.first else { return false }
  if value.count == 1 { return first.isLetter || first.isDigit }
  return value.count == 2 && value.allSatisfy(\.isDigit) && Int(value.string).map { $0 <= 64 } ?? false
}
