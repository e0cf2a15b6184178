/// The task states of a file, in declaration order.
struct Keywords: Sendable, Equatable {
  private(set) var sequence: [[UInt8]] = []
  private(set) var done: Set<[UInt8]> = []
  /// The positions of the keywords in the sequence, by their hashes.
  private var places: [UInt64: [Int]] = [:]
  private static let few = 16

  /// The keywords of files that declare none.
  static let usual = Keywords(declared: ["TODO NEXT WAITING | DONE CANCELLED"])

  init(declared lines: [String]) {
    for line in lines { declare(Array(line.utf8)[...]) }
  }

  /// The keywords that any of the outlines declares, or the given ones if none does.
  init(of outlines: [Outline], otherwise usual: Keywords = .usual) {
    for outline in outlines {
      for start in outline.declarations { declare(lineAt: start, in: outline.text) }
    }
    if sequence.isEmpty { self = usual }
  }

  /// The keywords that any version of a merge declares: those of the base first, then those of the sides in byte order, so that
  /// the ranks are symmetric.
  init(of outlines: Three<Outline>, otherwise usual: Keywords) {
    let sides = outlines.sides.sorted { precedes($0.declaredText, $1.declaredText) }
    self.init(of: [outlines.base] + sides, otherwise: usual)
  }

  func contains(_ word: Span<UInt8>) -> Bool { place(of: word) != nil }

  /// Returns the position of a keyword in the sequence. A small number is compared one by one, which is faster than hashing the
  /// word.
  private func place(of word: Span<UInt8>) -> Int? {
    if sequence.count > Self.few {
      let candidates = places[fingerprint(word)] ?? []
      for place in candidates {
        let keyword = sequence[place]
        if keyword.span.isSame(as: word) { return place }
      }
      return nil
    }
    for (place, keyword) in sequence.enumerated() where keyword.span.isSame(as: word) { return place }
    return nil
  }

  func isDone(_ word: Bytes) -> Bool { done.contains(Array(word)) }

  /// Returns the rank of a keyword in the sequence; undeclared ones come before all others.
  func rank(_ word: Bytes) -> Int { place(of: word.span) ?? -1 }

  private mutating func declare(lineAt start: Int, in text: [UInt8]) {
    if let value = Self.declaration(at: start, in: text) { declare(value) }
  }

  /// Returns the declaration in a line; nil if it declares no keywords.
  fileprivate static func declaration(at start: Int, in text: [UInt8]) -> Bytes? {
    let line = text[start...].prefix { $0 != .newline }
    guard let setting = KeywordLine(line), setting.declaresKeywords else { return nil }
    return setting.value
  }

  /// Reads `TODO(t) WAITING | DONE`; without a bar the last word is the done state.
  private mutating func declare(_ line: Bytes) {
    let words = line.words.map { Array($0.prefix { $0 != UInt8(ascii: "(") }) }.filter { !$0.isEmpty }
    let bar = words.firstIndex(of: [UInt8(ascii: "|")])
    let finished = bar.map { words[($0 + 1)...] } ?? words.suffix(1)
    for word in words where word != [UInt8(ascii: "|")] && place(of: word.span) == nil {
      places[fingerprint(word.span), default: []].append(sequence.count)
      sequence.append(word)
    }
    done.formUnion(finished)
  }
}

extension Outline {
  /// All that the file declares about keywords.
  fileprivate var declaredText: [UInt8] {
    Array(declarations.compactMap { Keywords.declaration(at: $0, in: text) }.joined(separator: [.newline]))
  }
}

/// A line `#+KEY: value`.
struct KeywordLine {
  let key: Bytes
  let value: Bytes

  init?(_ line: Bytes) {
    guard line.firstNonBlank == UInt8(ascii: "#") else { return nil }
    let text = line.trimmedLeft
    guard text.span.has("#+", at: 0) else { return nil }
    let content = text.dropFirst(2)
    guard let end = Self.keyEnd(content), end > content.startIndex else { return nil }
    key = content[..<end]
    value = content[(end + 1)...].trimmed
  }

  var declaresKeywords: Bool {
    key.equals(ignoringCase: "todo") || key.equals(ignoringCase: "seq_todo") || key.equals(ignoringCase: "typ_todo")
  }

  /// The colon behind the key; a key has no blanks, except in brackets as in `#+caption[short]: long`.
  private static func keyEnd(_ content: Bytes) -> Int? {
    let bare = content.prefix { !$0.isBlank && $0 != UInt8(ascii: "[") }
    if bare.endIndex < content.endIndex, content[bare.endIndex] == UInt8(ascii: "["),
      let close = content.firstIndex(of: UInt8(ascii: "]"), from: bare.endIndex)
    {
      return close + 1 < content.endIndex && content[close + 1] == .colon ? close + 1 : nil
    }
    return bare.lastIndex(of: .colon)
  }
}
