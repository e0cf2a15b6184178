/// What a person can change in a text without changing a word: the ticks of items, and the white space in code, verse and
/// fixed-width lines. Texts with the same `Meaning` can differ in it.
struct WordlessMarks: Equatable {
  private var marks: [[UInt8]] = []

  init(_ lines: some Collection<Bytes>) {
    var block: (end: [UInt8], margin: Int)?
    for line in lines {
      let content = line.trimmed
      if let open = block {
        if content.lowercased == open.end { block = nil } else { add(code: line, in: open.margin) }
      } else if let end = Self.end(ofBlock: content) {
        block = (end, line.indentationWidth)
      } else if content.first == .colon {
        if content.count == 1 || content.dropFirst().first?.isBlank ?? false { marks.append(Array(content)) }
      } else if let box = ListMarker(line)?.box {
        marks.append([box] + Meaning.item(line))
      }
    }
  }

  /// Returns true if the marks are some of another text's, in order, so that the two differ only by removals.
  func areRemainder(of other: WordlessMarks) -> Bool { isSubsequence(marks, of: other.marks) }

  private mutating func add(code line: Bytes, in margin: Int) {
    marks.append(BodyShift.shifted(line.trimmedRight, by: -margin))
  }

  /// Returns the line that ends a block whose lines are not words; nil if none begins here.
  private static func end(ofBlock content: Bytes) -> [UInt8]? {
    if content.starts(with: "\\begin{".utf8) {
      return Array("\\end{".utf8) + content.dropFirst(7).prefix { $0 != UInt8(ascii: "}") }.lowercased + "}".utf8
    }
    guard content.hasPrefix(ignoringCase: "#+begin_") else { return nil }
    let name = content.dropFirst(8).prefix { !$0.isBlank }.lowercased
    return BlockScanner.isVerbatim(name) ? Array("#+end_".utf8) + name : nil
  }
}
