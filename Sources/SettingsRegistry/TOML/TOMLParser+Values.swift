extension TOMLParser {
  /// Reads the next value.
  mutating func value() throws(Diagnostic) -> TOMLNode {
    let start = scanner.location
    let value: TOMLValue =
      switch scanner.next {
      case "\"", "'": .string(try string())
      case "[": .array(try array())
      case "{": .table(try inlineTable())
      default: try word()
      }
    return TOMLNode(value, at: start)
  }

  /// Reads a boolean, number, date or time: a value without brackets and quotes.
  private mutating func word() throws(Diagnostic) -> TOMLValue {
    let start = scanner.location
    let word = consumeWord()
    if word == "true" || word == "false" { return .boolean(word == "true") }
    if let number = TOMLNumber.value(of: word) { return number }
    if let dateTime = TOMLDateTime(word) { return .dateTime(dateTime) }
    throw Diagnostic(TOMLNumber.whyNot(word) ?? "expected a value; text needs quotes", at: start)
  }

  /// A date and its time may be separated by a space.
  private mutating func consumeWord() -> String {
    let word = scanner.consume(while: \.isWord)
    guard TOMLDateTime.Day(word) != nil, scanner.next == " ", scanner.peek(1)?.isDigit == true else { return word }
    scanner.advance()
    return word + "T" + scanner.consume(while: \.isWord)
  }

  private mutating func array() throws(Diagnostic) -> [TOMLNode] {
    var nodes: [TOMLNode] = []
    try open()
    try skipBlankLines()
    while !scanner.consume("]") {
      nodes.append(try value())
      try skipBlankLines()
      guard scanner.consume(",") || scanner.next == "]" else {
        throw scanner.mistake("expected \",\" or \"]\"")
      }
      try skipBlankLines()
    }
    close()
    return nodes
  }

  private mutating func inlineTable() throws(Diagnostic) -> TOMLTable {
    let table = TOMLTableBuilder(.inline, at: scanner.location)
    try open()
    scanner.skipBlanks()
    if !scanner.consume("}") {
      repeat { try keyValue(into: table) } while try consumeInlineSeparator()
    }
    close()
    return table.table
  }

  /// Returns true if another key follows. In TOML 1.0 an inline table is one line without a comma at its end.
  private mutating func consumeInlineSeparator() throws(Diagnostic) -> Bool {
    scanner.skipBlanks()
    if scanner.consume("}") { return false }
    guard scanner.consume(",") else { throw scanner.mistake("expected \",\" or \"}\"") }
    return true
  }

  private mutating func open() throws(Diagnostic) {
    openBrackets += 1
    try enter()
    scanner.advance()
  }

  private mutating func close() {
    openBrackets -= 1
    leave()
  }

  private mutating func skipBlankLines() throws(Diagnostic) {
    repeat {
      scanner.skipBlanks()
      scanner.consumeComment()
    } while scanner.consumeNewline()
    if scanner.next == nil { throw scanner.mistake("the array is not closed") }
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { ("0"..."9").contains(self) }

  fileprivate var isWord: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "+", ".", ":": true
    default: false
    }
  }
}
