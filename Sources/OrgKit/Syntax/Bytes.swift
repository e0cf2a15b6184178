/// A range of a text that shares its buffer; its indices are positions in that buffer.
typealias Bytes = ArraySlice<UInt8>

extension UInt8 {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let star = UInt8(ascii: "*")
  static let colon = UInt8(ascii: ":")

  /// Space, tab, and the carriage return that may end a line; no other character makes a line blank.
  var isBlank: Bool { self == .space || self == .tab || self == .carriageReturn }

  var isBlankOrNewline: Bool { isBlank || self == .newline }

  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Letters, digits and every byte of a character beyond ASCII.
  var isWordByte: Bool { isLetter || isDigit || self > 127 }

  var isTagByte: Bool {
    isWordByte || self == UInt8(ascii: "_") || self == UInt8(ascii: "@") || self == UInt8(ascii: "#")
      || self == UInt8(ascii: "%")
  }

  var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension Collection<UInt8> {
  /// The text as a string for people; invalid UTF-8 is replaced.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// Returns true if the bytes equal `text`, which is in lower case; ignores ASCII case.
  func equals(ignoringCase text: StaticString) -> Bool {
    text.utf8CodeUnitCount == count && hasPrefix(ignoringCase: text)
  }

  /// Returns true if the bytes begin with `text`, which is in lower case; ignores ASCII case.
  func hasPrefix(ignoringCase text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe lowercasedStarts(with: $0) }
  }

  func lowercasedStarts(with other: some Collection<UInt8>) -> Bool {
    other.count <= count && zip(self, other).allSatisfy { $0.lowercased == $1 }
  }
}

extension ArraySlice<UInt8> {
  /// True if the text is only white space.
  var isBlank: Bool { span.firstNonBlank() == count }

  /// The text without outer white space.
  var trimmed: Bytes {
    let bytes = span
    let start = bytes.firstNonBlank()
    return self[(startIndex + start)..<(startIndex + bytes.endWithoutBlanks(from: start, to: bytes.count))]
  }

  var trimmedLeft: Bytes { self[(startIndex + span.firstNonBlank())...] }

  var trimmedRight: Bytes {
    self[..<(startIndex + span.endWithoutBlanks(from: 0, to: count))]
  }

  /// The leading white space.
  var indentation: Bytes { self[..<(startIndex + span.firstNonBlank())] }

  /// The first byte that is not white space.
  var firstNonBlank: UInt8? {
    let bytes = span
    let position = bytes.firstNonBlank()
    return position < bytes.count ? bytes[position] : nil
  }

  /// The width of the leading white space in columns, with tabs of eight.
  var indentationWidth: Int {
    let bytes = span
    return bytes.width(from: 0, to: bytes.firstNonBlank())
  }

  /// The trailing white space.
  var trailingBlanks: Bytes { self[trimmedRight.endIndex...] }

  /// The words between white space.
  var words: [Bytes] { parts(between: \.isBlankOrNewline) }

  /// Returns the parts between separators, without empty ones.
  func parts(between isSeparator: (UInt8) -> Bool) -> [Bytes] {
    var parts: [Bytes] = []
    forEachPart(between: isSeparator) { parts.append($0) }
    return parts
  }

  func forEachPart(between isSeparator: (UInt8) -> Bool, _ body: (Bytes) -> Void) {
    let bytes = span
    var position = 0
    while position < bytes.count {
      let start = position
      while position < bytes.count, !isSeparator(bytes[position]) { position += 1 }
      if position > start { body(self[(startIndex + start)..<(startIndex + position)]) }
      position += 1
    }
  }

  /// The words joined by single spaces.
  var collapsed: [UInt8] {
    let bytes = span
    var collapsed: [UInt8] = []
    collapsed.reserveCapacity(bytes.count)
    var isBehindBlank = false
    for position in 0..<bytes.count {
      let byte = bytes[position]
      if byte.isBlank || byte == .newline {
        isBehindBlank = !collapsed.isEmpty
      } else {
        if isBehindBlank { collapsed.append(.space) }
        collapsed.append(byte)
        isBehindBlank = false
      }
    }
    return collapsed
  }

  var lowercased: [UInt8] { map(\.lowercased) }

  /// The lines without their line feeds.
  var lines: Lines { Lines(self) }

  /// The first line without its line feed.
  var firstLine: Bytes { self[..<(startIndex + span.lineEnd(from: 0, to: count))] }

  /// The text after the first line and its line feed.
  var withoutFirstLine: Bytes { self[Swift.min(firstLine.endIndex + 1, endIndex)...] }

  /// Returns the first position of `byte` at or after `start`.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    let position = span.first(byte, from: start - startIndex, to: count)
    return position < count ? startIndex + position : nil
  }
}
