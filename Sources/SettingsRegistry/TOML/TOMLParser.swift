/// Reads a document line by line into a tree of tables.
///
/// `TOMLParser+Values.swift` reads values, `TOMLParser+Strings.swift` the strings among them, `TOMLNumber` and
/// `TOMLDateTime` the rest. `TOMLTableBuilder` knows which statement may extend which table.
struct TOMLParser {
  var scanner: TOMLScanner
  let root: TOMLTableBuilder
  private var section: TOMLTableBuilder
  private var sectionDepth = 0
  /// The keys of the last header.
  private var sectionPath: [TOMLKey] = []
  /// The spans of the last keys that were joined by dots.
  private var keySpans: [Range<Int>] = []
  private(set) var statements: [TOMLStatement] = []
  /// The number of tables and arrays that enclose the next scalar.
  private(set) var depth = 0
  /// The number of open brackets and braces.
  var openBrackets = 0

  init(_ scanner: TOMLScanner) {
    self.scanner = scanner
    root = TOMLTableBuilder(.root, at: scanner.location)
    section = root
  }

  /// Reads to the end of the text.
  mutating func parse() {
    while scanner.next != nil {
      do throws(Diagnostic) {
        try statement()
      } catch {
        scanner.mistakes.append(error)
        recover()
      }
    }
  }

  private mutating func statement() throws(Diagnostic) {
    scanner.skipBlanks()
    switch scanner.next {
    case nil, "#", "\n", "\r": break
    case "[": try header()
    default: try assignment()
    }
    try endOfLine()
  }

  /// Reads `key = value` as a statement.
  private mutating func assignment() throws(Diagnostic) {
    let start = scanner.offset
    let (path, keys, value) = try keyValue(into: section)
    statements.append(
      TOMLStatement(
        kind: .value(value), path: (sectionPath + path).map(\.text), keys: keys, span: start..<value.upperBound))
  }

  private mutating func endOfLine() throws(Diagnostic) {
    scanner.skipBlanks()
    scanner.consumeComment()
    guard scanner.consumeNewline() || scanner.next == nil else {
      throw scanner.mistake("expected a new line")
    }
  }

  /// Reads `[table]` or `[[table]]`. What follows a wrong header is read into a table that is discarded.
  private mutating func header() throws(Diagnostic) {
    let (start, offset) = (scanner.location, scanner.offset)
    section = TOMLTableBuilder(.header, at: start)
    (depth, sectionDepth) = (0, 0)
    let (path, isElement) = try headerPath()
    try enter(path.count)
    (sectionDepth, sectionPath) = (path.count, path)
    section = try isElement ? root.appendElement(at: path[...], start) : root.openTable(at: path[...], start)
    statements.append(
      TOMLStatement(kind: .header, path: path.map(\.text), keys: keySpans, span: offset..<scanner.offset))
  }

  private mutating func headerPath() throws(Diagnostic) -> (path: [TOMLKey], isElement: Bool) {
    let isElement = scanner.consume("[[")
    if !isElement { scanner.advance() }
    let path = try keyPath()
    let close = isElement ? "]]" : "]"
    guard scanner.consume(close) else { throw scanner.mistake("expected \"\(close)\"") }
    return (path, isElement)
  }

  /// Reads `key = value`. Returns the keys, their spans and the span of the value.
  @discardableResult
  mutating func keyValue(into table: TOMLTableBuilder) throws(Diagnostic) -> (
    path: [TOMLKey], keys: [Range<Int>], value: Range<Int>
  ) {
    let path = try assignedPath()
    let (keys, start) = (keySpans, scanner.offset)
    try enter(path.count)
    let node: TOMLNode
    do throws(Diagnostic) {
      node = try value()
    } catch {
      // One mistake per line: that the key is repeated, too, is not reported.
      try? table.insert(TOMLNode(.unreadable, at: error.location), at: path[...])
      throw error
    }
    leave(path.count)
    try table.insert(node, at: path[...])
    return (path, keys, start..<scanner.offset)
  }

  private mutating func assignedPath() throws(Diagnostic) -> [TOMLKey] {
    let path = try keyPath()
    guard scanner.consume("=") else { throw scanner.mistake("expected \"=\"") }
    scanner.skipBlanks()
    return path
  }

  /// Reads keys joined by dots, and the blanks around them.
  private mutating func keyPath() throws(Diagnostic) -> [TOMLKey] {
    var path: [TOMLKey] = []
    keySpans = []
    repeat {
      scanner.skipBlanks()
      let start = scanner.offset
      path.append(try key())
      keySpans.append(start..<scanner.offset)
      scanner.skipBlanks()
    } while scanner.consume(".")
    return path
  }

  private mutating func key() throws(Diagnostic) -> TOMLKey {
    let start = scanner.location
    if scanner.next == "\"" || scanner.next == "'" { return TOMLKey(try singleLineString(), at: start) }
    let text = scanner.consume(while: \.isBareKey)
    guard !text.isEmpty else { throw scanner.mistake("expected a key") }
    return TOMLKey(text, at: start)
  }

  /// Enters `count` levels of nesting.
  mutating func enter(_ count: Int = 1) throws(Diagnostic) {
    depth += count
    guard depth <= TOMLDocument.maximumNesting else { throw scanner.mistake("this is nested too deeply") }
  }

  /// Leaves `count` levels of nesting.
  mutating func leave(_ count: Int = 1) {
    depth -= count
  }

  /// Skips to the next line; after a mistake inside brackets, to the next line that is a statement.
  private mutating func recover() {
    scanner.skipLine()
    while openBrackets > 0, scanner.next != nil, !isAtStatement { scanner.skipLine() }
    (depth, openBrackets) = (sectionDepth, 0)
  }

  private var isAtStatement: Bool {
    var probe = self
    probe.scanner.mistakes = []
    probe.scanner.skipBlanks()
    do throws(Diagnostic) {
      guard probe.scanner.next == "[" else { return try !probe.assignedPath().isEmpty }
      _ = try probe.headerPath()
      try probe.endOfLine()
      return true
    } catch {
      return false
    }
  }
}

extension Unicode.Scalar {
  var isBareKey: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }
}
