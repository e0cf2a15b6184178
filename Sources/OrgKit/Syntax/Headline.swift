/// A parsed headline; every part is a range of the line.
struct Headline {
  let line: Bytes
  let level: Int
  private let keywordPlace: Range<Int>?
  private let priorityPlace: Range<Int>?
  let isComment: Bool
  private let titlePlace: Range<Int>
  private let tagPlace: Range<Int>?

  /// Parses a line that begins with stars; a first word that is not among `keywords` belongs to the title.
  init(_ line: Bytes, keywords: Keywords) {
    self.line = line
    let bytes = line.span
    level = bytes.stars
    var rest = HeadlineRest(bytes, behind: level)
    tagPlace = rest.takeTags(bytes)
    keywordPlace = rest.takeWord(bytes) { keywords.contains(bytes.extracting($0)) }
    priorityPlace = rest.takePriority(bytes)
    isComment = rest.takeWord(bytes) { $0.count == 7 && bytes.has("COMMENT", at: $0.lowerBound) } != nil
    titlePlace = rest.range
  }

  var keyword: Bytes? { keywordPlace.map(part) }

  /// The priority in `[#…]`.
  var priority: Bytes? { priorityPlace.map(part) }

  var title: Bytes { part(titlePlace) }

  /// The tags with all their colons.
  var tagText: Bytes? { tagPlace.map(part) }

  /// The tags in order, without empty ones.
  var tags: [Bytes] { tagText?.parts { $0 == .colon } ?? [] }

  private func part(_ range: Range<Int>) -> Bytes {
    line[(line.startIndex + range.lowerBound)..<(line.startIndex + range.upperBound)]
  }
}

/// The unparsed rest of a headline.
private struct HeadlineRest {
  private(set) var range: Range<Int>

  init(_ bytes: Span<UInt8>, behind level: Int) {
    let start = bytes.firstNonBlank(from: level)
    range = start..<bytes.endWithoutBlanks(from: start, to: bytes.count)
  }

  /// Parses the tags at the end of a headline: after white space or the stars, between colons, up to the end of the line.
  mutating func takeTags(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard range.count > 1, bytes[range.upperBound - 1] == .colon else { return nil }
    var start = range.upperBound - 1
    while start > range.lowerBound, bytes[start - 1] == .colon || bytes[start - 1].isTagByte { start -= 1 }
    let tags = start..<range.upperBound
    let stands = start == range.lowerBound || bytes[start - 1].isBlank
    guard stands, bytes[start] == .colon, tags.count > 1 else { return nil }
    range = range.lowerBound..<bytes.endWithoutBlanks(from: range.lowerBound, to: start)
    return tags
  }

  mutating func takeWord(_ bytes: Span<UInt8>, where isWanted: (Range<Int>) -> Bool) -> Range<Int>? {
    let word = range.lowerBound..<bytes.first(.space, from: range.lowerBound, to: range.upperBound)
    guard !word.isEmpty, isWanted(word) else { return nil }
    skip(to: word.upperBound, bytes)
    return word
  }

  mutating func takePriority(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard bytes.has("[#", at: range.lowerBound) else { return nil }
    // A priority has at most two bytes.
    let start = range.lowerBound + 2
    let limit = min(start + 3, range.upperBound)
    let close = bytes.first(UInt8(ascii: "]"), from: start, to: limit)
    guard close < limit, bytes.isPriority(start..<close) else { return nil }
    skip(to: close + 1, bytes)
    return start..<close
  }

  private mutating func skip(to position: Int, _ bytes: Span<UInt8>) {
    range = min(bytes.firstNonBlank(from: position), range.upperBound)..<range.upperBound
  }
}

extension Span<UInt8> {
  /// Returns true if the bytes are a letter or digit, or a number up to 64.
  func isPriority(_ range: Range<Int>) -> Bool {
    guard let start = range.first else { return false }
    if range.count == 1 { return self[start].isLetter || self[start].isDigit }
    guard range.count == 2, self[start].isDigit, self[start + 1].isDigit else { return false }
    return 10 * (self[start] - UInt8(ascii: "0")) + self[start + 1] - UInt8(ascii: "0") <= 64
  }
}
