extension TOMLParser {
  /// Reads any of the four kinds of strings.
  mutating func string() throws(Diagnostic) -> String {
    if scanner.consume("\"\"\"") { return try multiLineString(closedBy: "\"") }
    if scanner.consume("'''") { return try multiLineString(closedBy: "'") }
    return try singleLineString()
  }

  /// Reads a single-line string, which begins with the next quote.
  mutating func singleLineString() throws(Diagnostic) -> String {
    let start = scanner.location
    let quote = scanner.next
    scanner.advance()
    var text = ""
    while let scalar = scanner.next, !scanner.isAtNewline {
      if scalar == quote {
        scanner.advance()
        return text
      }
      text.unicodeScalars.append(scalar == "\\" && quote == "\"" ? escape() : scanner.consumeText(scalar))
    }
    throw Diagnostic("the string is not closed in its line", at: start)
  }

  /// Reads a string after its three quotes. A newline directly after them is not part of it.
  private mutating func multiLineString(closedBy quote: Unicode.Scalar) throws(Diagnostic) -> String {
    var start = scanner.location
    start.column -= 3
    var text = ""
    _ = scanner.consumeNewline()
    while let scalar = scanner.next {
      if scalar == quote {
        guard consumeQuotes(quote, into: &text) else { return text }
      } else if scanner.consumeNewline() {
        text.append("\n")
      } else if scalar == "\\", quote == "\"" {
        if !consumeLineContinuation() { text.unicodeScalars.append(escape()) }
      } else {
        text.unicodeScalars.append(scanner.consumeText(scalar))
      }
    }
    throw Diagnostic("the string is not closed", at: start)
  }

  /// Returns true if the string continues after the next quotes, as it does after one or two. Of three to five, the last three
  /// close it and the others are text.
  private mutating func consumeQuotes(_ quote: Unicode.Scalar, into text: inout String) -> Bool {
    var count = 0
    while count < 5, scanner.next == quote {
      scanner.advance()
      count += 1
    }
    let isOpen = count < 3
    text.unicodeScalars.append(contentsOf: repeatElement(quote, count: isOpen ? count : count - 3))
    return isOpen
  }

  /// A backslash at the end of a line joins it with the following text and removes the white space between them.
  private mutating func consumeLineContinuation() -> Bool {
    var ahead = scanner
    ahead.advance()
    ahead.skipBlanks()
    guard ahead.isAtNewline else { return false }
    while ahead.consumeNewline() { ahead.skipBlanks() }
    scanner = ahead
    return true
  }

  /// Reads the next escape; an invalid one is reported and read as U+FFFD.
  private mutating func escape() -> Unicode.Scalar {
    let start = scanner.location
    scanner.advance()
    let letter = scanner.isAtNewline ? nil : scanner.next
    if letter != nil { scanner.advance() }
    let scalar: Unicode.Scalar? =
      switch letter {
      case "b": "\u{8}"
      case "t": "\t"
      case "n": "\n"
      case "f": "\u{C}"
      case "r": "\r"
      case "\"": "\""
      case "\\": "\\"
      case "u": codePoint(digits: 4)
      case "U": codePoint(digits: 8)
      default: nil
      }
    if scalar == nil { scanner.mistakes.append(Diagnostic("TOML has no such escape", at: start)) }
    return scalar ?? "\u{FFFD}"
  }

  private mutating func codePoint(digits: Int) -> Unicode.Scalar? {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let scalar = scanner.next, let digit = Character(scalar).hexDigitValue, scalar.isASCII else { return nil }
      value = value << 4 | UInt32(digit)
      scanner.advance()
    }
    return Unicode.Scalar(value)
  }
}
