/// A line by its meaning, for finding what one side moved: a line of text, an item, a row, or the title of an entry without
/// text.
struct MovableLine: Hashable {
  /// What a line is, as named in conflicts.
  enum Kind: UInt8 {
    case line, item, row, entry

    var name: String {
      switch self {
      case .line: "line"
      case .item: "item"
      case .row: "row"
      case .entry: "entry"
      }
    }
  }

  let kind: Kind
  let digest: UInt64
  /// The digests of the words.
  let words: [UInt64]

  /// Lines with fewer words are equal by chance.
  private static let fewWords = 3
  /// True if the line may be repeated without being the same one.
  var isShort: Bool { words.count < Self.fewWords }

  /// Creates a line of text; nil for lines that are equal everywhere: blank lines, keywords, delimiters, lines without words.
  init?(_ line: Bytes) {
    guard let first = line.firstNonBlank, first != UInt8(ascii: "#") || !line.trimmedLeft.starts(with: "#+".utf8) else {
      return nil
    }
    let isRow = first == UInt8(ascii: "|")
    let isItem = !isRow && ListMarker(line) != nil
    self.init(isRow ? .row : isItem ? .item : .line, isRow ? Meaning.row(line) : Meaning.item(line))
    if kind == .line, first == .colon, line.trimmedRight.last == .colon, words.count == 1 { return nil }
  }

  /// Creates the line for an entry without text; nil without a title.
  init?(title: Bytes) {
    self.init(.entry, title.collapsed[...].blankingCookies)
  }

  private init?(_ kind: Kind, _ meaning: [UInt8]) {
    words = Self.words(meaning[...])
    if words.isEmpty { return nil }
    self.kind = kind
    digest = fingerprint(meaning.span)
  }

  /// The digests of the words of a text.
  static func words(_ text: Bytes) -> [UInt64] {
    let bytes = text.span
    var words: [UInt64] = []
    var position = 0
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position].isWordByte { position += 1 }
      if position > start { words.append(fingerprint(bytes.extracting(start..<position))) }
      position += 1
    }
    return words
  }

  static func == (one: MovableLine, other: MovableLine) -> Bool { one.kind == other.kind && one.digest == other.digest }

  func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
  }
}
