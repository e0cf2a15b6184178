/// A stretch of a text that shares the buffer of the whole; its indices are positions in that buffer.
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
  /// Whether there is nothing but white space.
  var isBlank: Bool { allSatisfy(\.isBlank) }

  /// A string for people; broken characters are replaced.
  var string: String { String(decoding: self, as: UTF8.self) }

  /// Whether the bytes are those of `text`, ASCII case ignored; `text` is in lower case.
  func equals(ignoringCase text: StaticString) -> Bool {
    text.utf8CodeUnitCount == count && hasPrefix(ignoringCase: text)
  }

  /// Whether the bytes begin with those of `text`, ASCII case ignored; `text` is in lower case.
  func hasPrefix(ignoringCase text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe lowercasedStarts(with: $0) }
  }

  func lowercasedStarts(with other: some Collection<UInt8>) -> Bool {
    other.count <= count && zip(self, other).allSatisfy { $0.lowercased == $1 }
  }
}

extension ArraySlice<UInt8> {
  /// The text without white space at its ends.
  var trimmed: Bytes { trimmedLeft.trimmedRight }

  var trimmedLeft: Bytes { drop(while: \.isBlank) }

  var trimmedRight: Bytes {
    var end = endIndex
    while end > startIndex, self[end - 1].isBlank { end -= 1 }
    return self[startIndex..<end]
  }

  /// The white space at the beginning.
  var indentation: Bytes { prefix(while: \.isBlank) }

  /// The columns the white space at the beginning takes up, with tabs of eight.
  var indentationWidth: Int {
    indentation.reduce(0) { $1 == .tab ? ($0 / 8 + 1) * 8 : $0 + 1 }
  }

  /// The white space at the end.
  var trailingBlanks: Bytes { self[trimmedRight.endIndex...] }

  /// The words between white space.
  var words: [Bytes] { split(whereSeparator: { $0.isBlank || $0 == .newline }) }

  /// The words with single spaces between them.
  var collapsed: [UInt8] { Array(words.joined(separator: [.space])) }

  var lowercased: [UInt8] { map(\.lowercased) }

  /// The lines without their line feeds; a line feed at the very end begins no further line.
  var lines: [Bytes] {
    var lines: [Bytes] = []
    let bytes = span
    var start = 0
    while start < bytes.count {
      let end = bytes.lineEnd(from: start, to: bytes.count)
      lines.append(self[(startIndex + start)..<(startIndex + end)])
      start = end + 1
    }
    return lines
  }

  /// The position of `byte` at or behind `start`.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    self[start...].firstIndex(of: byte)
  }
}

extension Span<UInt8> {
  /// The position of the next line feed at or behind `start`, or `end`; eight bytes are looked at in one step.
  func lineEnd(from start: Int, to end: Int) -> Int {
    var position = start
    while position + 8 <= end {
      let mixed = word(at: position) ^ 0x0A0A_0A0A_0A0A_0A0A
      // The lowest byte of the word that is zero, and so a line feed, sets its highest bit.
      let zeros = (mixed &- 0x0101_0101_0101_0101) & ~mixed & 0x8080_8080_8080_8080
      if zeros != 0 { return position + zeros.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < end, self[position] != .newline { position += 1 }
    return position
  }

  /// Whether the bytes are the same, compared eight at a time.
  func isSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var position = 0
    while position + 8 <= count {
      if word(at: position) != other.word(at: position) { return false }
      position += 8
    }
    while position < count {
      if self[position] != other[position] { return false }
      position += 1
    }
    return true
  }

  /// Eight bytes as one number, the first as its lowest.
  func word(at position: Int) -> UInt64 {
    // Every pattern of bits is a number, and the load checks its bounds.
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }
}
