extension Span<UInt8> {
  /// The position of the next line feed at or behind `start`, or `end`.
  func lineEnd(from start: Int, to end: Int) -> Int { first(.newline, from: start, to: end) }

  /// The position of the first `byte` at or behind `start`, or `end`; eight bytes are looked at in one step.
  func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
    precondition(start >= 0 && end <= count)
    let pattern = 0x0101_0101_0101_0101 &* UInt64(byte)
    var position = start
    while end &- position >= 8 {
      let mixed = unsafe word(uncheckedAt: position) ^ pattern
      // The lowest byte of the word that is zero, and so the wanted one, sets its highest bit.
      let zeros = (mixed &- 0x0101_0101_0101_0101) & ~mixed & 0x8080_8080_8080_8080
      if zeros != 0 { return position &+ zeros.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < end, self[position] != byte { position += 1 }
    return position
  }

  /// The position of the first byte except white space at or behind `start`, or the count.
  func firstNonBlank(from start: Int = 0) -> Int {
    var position = start
    while position < count, self[position].isBlank { position += 1 }
    return position
  }

  /// The end of the bytes between two positions without white space at their end.
  func endWithoutBlanks(from start: Int, to end: Int) -> Int {
    var end = end
    while end > start, self[end - 1].isBlank { end -= 1 }
    return end
  }

  /// The columns that white space takes up, with tabs of eight.
  func width(from start: Int, to end: Int) -> Int {
    var width = 0
    for position in start..<end { width = self[position] == .tab ? (width / 8 + 1) * 8 : width + 1 }
    return width
  }

  /// The number of stars at the beginning.
  var stars: Int {
    var count = 0
    while count < self.count, self[count] == .star { count += 1 }
    return count
  }

  /// Returns true if the bytes at a position are those of `text`.
  func has(_ text: StaticString, at position: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position + length <= count else { return false }
    return text.withUTF8Buffer { other in
      for index in 0..<length where unsafe self[position + index] != other[index] { return false }
      return true
    }
  }

  /// Returns true if the bytes are the same, compared eight at a time.
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
    precondition(position >= 0 && position <= count - 8)
    return unsafe word(uncheckedAt: position)
  }

  /// The same where the caller has checked the bounds; every pattern of bits is a number.
  @unsafe private func word(uncheckedAt position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
  }
}
