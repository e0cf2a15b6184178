extension Span<UInt8> {
  /// Returns the position of the next line feed at or after `start`, or `end`.
  func lineEnd(from start: Int, to end: Int) -> Int { first(.newline, from: start, to: end) }

  /// Returns the start of the line with a position, or `start` if that is later.
  func lineStart(at position: Int, from start: Int) -> Int {
    var line = position
    while line > start, self[line - 1] != .newline { line -= 1 }
    return line
  }

  /// Returns the position of the first `byte` at or after `start`, or `end`; compares eight bytes at a time.
  func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count)
    let pattern = 0x0101_0101_0101_0101 &* UInt64(byte)
    var position = start
    while end &- position >= 8 {
      let mixed = unsafe word(uncheckedAt: position) ^ pattern
      // The lowest zero byte of the word, which is the wanted one, sets its highest bit.
      let zeros = (mixed &- 0x0101_0101_0101_0101) & ~mixed & 0x8080_8080_8080_8080
      if zeros != 0 { return position &+ zeros.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < end, self[position] != byte { position += 1 }
    return position
  }

  /// Returns the position of the first byte at or after `start` that is not white space, or the count.
  func firstNonBlank(from start: Int = 0) -> Int {
    var position = start
    while position < count, self[position].isBlank { position += 1 }
    return position
  }

  /// Returns the end of the range without trailing white space.
  func endWithoutBlanks(from start: Int, to end: Int) -> Int {
    var end = end
    while end > start, self[end - 1].isBlank { end -= 1 }
    return end
  }

  /// Returns the width of white space in columns, with tabs of eight.
  func width(from start: Int, to end: Int) -> Int {
    var width = 0
    for position in start..<end { width = self[position] == .tab ? (width / 8 + 1) * 8 : width + 1 }
    return width
  }

  /// The number of leading stars.
  var stars: Int {
    var count = 0
    while count < self.count, self[count] == .star { count += 1 }
    return count
  }

  /// Returns true if `text` is at a position.
  func has(_ text: StaticString, at position: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position + length <= count else { return false }
    return text.withUTF8Buffer { other in
      for index in 0..<length where unsafe self[position + index] != other[index] { return false }
      return true
    }
  }

  /// Returns true if the bytes are equal; compares eight at a time.
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

  /// Returns eight bytes as one number, the first as its lowest.
  func word(at position: Int) -> UInt64 {
    precondition(position >= 0 && position <= count - 8)
    return unsafe word(uncheckedAt: position)
  }

  /// The same after the caller has checked the bounds; every bit pattern is a valid number.
  @unsafe private func word(uncheckedAt position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
  }
}
