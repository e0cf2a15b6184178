/// Divides the lines of a section into blocks, in one pass.
///
/// An unclosed block or drawer is text.
struct BlockScanner {
  private let lines: Lines
  private let isPreamble: Bool
  private var position: Int
  private var found: [Block] = []
  /// The position up to which keywords are known to have no element.
  private var unattachedEnd = 0
  private var ends: BlockEnds
  /// The block that ended the preceding paragraph, so that it is not parsed twice.
  private var next: (start: Int, kind: Block.Kind, end: Int)?

  init(_ lines: Lines, isPreamble: Bool) {
    self.lines = lines
    self.isPreamble = isPreamble
    position = lines.startIndex
    ends = BlockEnds(lines)
  }

  mutating func blocks() -> [Block] {
    while position < lines.endIndex {
      let gapStart = position
      skipBlanks()
      if position == lines.endIndex { break }
      let start = position
      let affiliated = affiliatedKeywords(at: start)
      let (kind, end) = block(at: start + affiliated, behind: affiliated)
      found.append(
        Block(kind: kind, lines[gapStart..<end], from: start, affiliated: affiliated))
      position = end
    }
    return found
  }

  private mutating func skipBlanks() {
    while position < lines.endIndex, lines.isBlank(position) { position += 1 }
  }

  /// Returns the number of affiliated keyword lines from `start`; 0 if no element follows.
  private mutating func affiliatedKeywords(at start: Int) -> Int {
    guard start >= unattachedEnd, lines.first(start) == UInt8(ascii: "#") else { return 0 }
    var end = start
    while end < lines.endIndex, KeywordLine(lines[end])?.isAffiliated ?? false { end += 1 }
    if end == start { return 0 }
    if end < lines.endIndex, !lines.isBlank(end) { return end - start }
    unattachedEnd = end
    return 0
  }

  /// Returns the kind and the end of the block that begins at a line that is not blank.
  private mutating func block(at start: Int, behind affiliated: Int) -> (Block.Kind, Int) {
    if affiliated == 0, isPreamble, let drawer = preambleProperties(at: start) { return drawer }
    if let next, next.start == start { return (next.kind, next.end) }
    return special(at: start) ?? (.paragraph, paragraphEnd(from: start))
  }

  /// Returns the block that begins at a line, or nil if the line is plain text.
  private mutating func special(at start: Int) -> (Block.Kind, Int)? {
    guard let first = lines.first(start), !first.isLetter || first == UInt8(ascii: "C") else { return nil }
    let line = lines[start]
    let content = line.trimmedLeft
    switch first {
    case UInt8(ascii: "#"): return blockOrKeyword(at: start, content)
    case .colon: return drawer(at: start, content) ?? fixedWidth(at: start)
    case UInt8(ascii: "|"): return (.table, tableEnd(from: start))
    case UInt8(ascii: "["): return footnote(at: start)
    case .star where isInlineTask(line): return (.inlineTask, inlineTaskEnd(from: start))
    case UInt8(ascii: "C") where LogItem.isClock(content):
      return (.log, run(from: start) { LogItem.isClock($0.trimmedLeft) })
    case UInt8(ascii: "\\"): return environment(at: start, content)
    case UInt8(ascii: "-") where content.starts(with: "-----BEGIN PGP MESSAGE-----".utf8):
      return end(of: "-----end pgp message-----", after: start).map { (.encrypted, $0) }
    case UInt8(ascii: "-") where isRule(content): return (.rule, start + 1)
    default: break
    }
    return lines.marker(start).map { list(at: start, $0) }
  }

  private func isRule(_ content: Bytes) -> Bool {
    let line = content.trimmedRight
    return line.count >= 5 && line.allSatisfy { $0 == UInt8(ascii: "-") }
  }

  private mutating func paragraphEnd(from start: Int) -> Int {
    var end = start + 1
    while end < lines.endIndex, !lines.isBlank(end) {
      if let (kind, behind) = special(at: end) {
        next = (end, kind, behind)
        break
      }
      end += 1
    }
    return end
  }

  private func run(from start: Int, while belongs: (Bytes) -> Bool) -> Int {
    lines[start...].firstIndex { !belongs($0) } ?? lines.endIndex
  }
}

// MARK: - Blocks with an end line

extension BlockScanner {
  private mutating func blockOrKeyword(at start: Int, _ content: Bytes) -> (Block.Kind, Int)? {
    if content.hasPrefix(ignoringCase: "#+begin_") {
      let name = content.dropFirst(8).prefix { !$0.isBlank }.lowercased
      if !name.isEmpty, let end = end(of: Array("#+end_".utf8) + name, after: start) {
        return (Self.isVerbatim(name) ? .verbatim(name: name) : .container(name: name), end)
      }
      return nil
    }
    if content.hasPrefix(ignoringCase: "#+begin:") {
      return end(of: "#+end:", after: start).map { (.dynamic, $0) }
    }
    if let keyword = KeywordLine(content) { return (.keyword(key: keyword.key.lowercased), start + 1) }
    guard Self.isComment(content) else { return nil }
    return (.comment, run(from: start) { Self.isComment($0.trimmedLeft) })
  }

  /// Returns the LaTeX environment that begins at a line `\begin{NAME}`.
  private mutating func environment(at start: Int, _ content: Bytes) -> (Block.Kind, Int)? {
    guard content.starts(with: "\\begin{".utf8), let close = content.firstIndex(of: UInt8(ascii: "}")) else {
      return nil
    }
    let name = content[..<close].dropFirst(7).lowercased
    return end(of: Array("\\end{".utf8) + name + "}".utf8, after: start).map {
      (.verbatim(name: Array("latex".utf8)), $0)
    }
  }

  /// Returns true for the name, in lower case, of a `#+begin_` block whose lines are not Org text.
  static func isVerbatim(_ name: [UInt8]) -> Bool {
    ["src", "example", "export", "comment", "verse"].contains { name.elementsEqual($0.utf8) }
  }

  private static func isComment(_ content: Bytes) -> Bool {
    content.first == UInt8(ascii: "#") && (content.count == 1 || content.dropFirst().first?.isBlank ?? false)
  }

  private mutating func drawer(at start: Int, _ content: Bytes) -> (Block.Kind, Int)? {
    guard let name = Self.drawerName(content), let end = end(of: ":end:", after: start) else { return nil }
    let items = lines[(start + 1)..<(end - 1)]
    let isLog = name == Array("logbook".utf8) || name == Array("clock".utf8) || LogItem.areAll(items)
    return (isLog ? .log : .drawer(name: name), end)
  }

  /// Returns the name in `:NAME:`, in lower case, if the line contains nothing else.
  static func drawerName(_ content: Bytes) -> [UInt8]? {
    let line = content.trimmed
    guard line.count > 2, line.first == .colon, line.last == .colon else { return nil }
    let name = line.dropFirst().dropLast()
    let isName = name.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return isName && !name.equals(ignoringCase: "end") ? name.lowercased : nil
  }

  private func preambleProperties(at start: Int) -> (Block.Kind, Int)? {
    guard let drawer = PropertyDrawer(at: lines[start...]), found.allSatisfy({ $0.kind == .comment }) else {
      return nil
    }
    return (.properties, drawer.lines.endIndex)
  }

  private mutating func end(of text: StaticString, after start: Int) -> Int? {
    end(of: text.withUTF8Buffer { unsafe Array($0) }, after: start)
  }

  /// Returns the position after the line that equals `text`, ignoring case.
  private mutating func end(of text: [UInt8], after start: Int) -> Int? { ends.end(of: text, after: start) }
}

// MARK: - Runs of lines

extension BlockScanner {
  private func fixedWidth(at start: Int) -> (Block.Kind, Int)? {
    func belongs(_ line: Bytes) -> Bool {
      let content = line.trimmedLeft
      return content.first == .colon && (content.count == 1 || content.dropFirst().first?.isBlank ?? false)
    }
    return belongs(lines[start]) ? (.fixedWidth, run(from: start, while: belongs)) : nil
  }

  private func tableEnd(from start: Int) -> Int {
    let rows = run(from: start) { $0.firstNonBlank == UInt8(ascii: "|") }
    return run(from: rows) { $0.trimmedLeft.hasPrefix(ignoringCase: "#+tblfm:") }
  }

  private func footnote(at start: Int) -> (Block.Kind, Int)? {
    guard let label = Footnote.label(lines[start]) else { return nil }
    var end = start + 1
    var blanks = 0
    for index in lines[end...].indices {
      if Footnote.label(lines[index]) != nil { break }
      blanks = lines.isBlank(index) ? blanks + 1 : 0
      if blanks == 2 { break }
      if blanks == 0 { end = index + 1 }
    }
    return (.footnote(label: Array(label)), end)
  }

  private func isInlineTask(_ line: Bytes) -> Bool {
    let bytes = line.span
    let stars = bytes.stars
    return stars >= Outline.inlineTaskLevel && stars < bytes.count && bytes[stars] == .space
  }

  private func inlineTaskEnd(from start: Int) -> Int {
    for index in lines[(start + 1)...].indices where isInlineTask(lines[index]) {
      let isEnd = lines[index].drop { $0 == .star }.trimmed.equals(ignoringCase: "end")
      return isEnd ? index + 1 : start + 1
    }
    return start + 1
  }
}

// MARK: - Lists

extension BlockScanner {
  /// Returns a list with all its items, or its log items that are not in a drawer.
  private mutating func list(at start: Int, _ marker: ListMarker) -> (Block.Kind, Int) {
    let isLog = LogItem.isItem(lines[start], behind: marker)
    let end = listEnd(from: start, isLog: isLog)
    return (isLog && LogItem.areAll(lines[start..<end]) ? .log : .list, end)
  }

  /// Returns the position after the last line of a list: before a line without deeper indentation that does not begin an item,
  /// and before two blank lines.
  private mutating func listEnd(from start: Int, isLog: Bool) -> Int {
    let indentation = lines.indentation(start)
    var (index, end, blanks) = (start + 1, start + 1, 0)
    while index < lines.endIndex {
      if lines.isBlank(index) {
        blanks += 1
        if blanks == 2 { break }
        index += 1
        continue
      }
      let depth = lines.indentation(index)
      if depth < indentation { break }
      if depth == indentation {
        guard let marker = lines.marker(index), LogItem.isItem(lines[index], behind: marker) == isLog else { break }
      }
      if lines.first(index) == .star, isInlineTask(lines[index]) { break }
      blanks = 0
      index = depth > indentation ? enclosedEnd(at: index) : index + 1
      end = index
    }
    return end
  }

  /// Returns the position after a line inside an item, or after the whole block that it begins.
  private mutating func enclosedEnd(at start: Int) -> Int {
    guard lines.first(start) == UInt8(ascii: "#") else { return start + 1 }
    let content = lines[start].trimmedLeft
    guard content.hasPrefix(ignoringCase: "#+begin_") else { return start + 1 }
    let name = content.dropFirst(8).prefix { !$0.isBlank }.lowercased
    return end(of: Array("#+end_".utf8) + name, after: start) ?? start + 1
  }
}

extension KeywordLine {
  /// True if the line belongs to the element below it.
  var isAffiliated: Bool {
    let name = key.prefix { $0 != UInt8(ascii: "[") }
    return name.hasPrefix(ignoringCase: "attr_")
      || Self.affiliated.contains { name.count == $0.utf8.count && name.lowercasedStarts(with: $0.utf8) }
  }

  private static let affiliated = ["name", "caption", "header", "headers", "results", "plot"]
}
