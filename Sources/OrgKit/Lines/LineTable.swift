/// Assigns equal lines of several texts the same number, so that lines are compared as numbers.
struct LineTable {
  private var lines: [LineKey] = []
  /// The numbers at the slots of their hashes, or at the next free one; negative for a free slot.
  private var slots = Array(repeating: Int32(-1), count: 64)

  /// The number of different lines; their numbers are below it.
  var count: Int { lines.count }

  /// Returns one number per line; lines are equal if and only if their numbers are.
  mutating func numbers(of lines: some Collection<Bytes>) -> [Int32] {
    lines.map { number(of: LineKey($0)) }
  }

  private mutating func number(of line: LineKey) -> Int32 {
    let slot = slot(of: line)
    if slots[slot] >= 0 { return slots[slot] }
    let new = Int32(lines.count)
    lines.append(line)
    slots[slot] = new
    if 2 * lines.count > slots.count { grow() }
    return new
  }

  /// Returns the slot with the number of a line, or the free one where it belongs.
  private func slot(of line: LineKey) -> Int {
    var slot = Int(truncatingIfNeeded: line.digest) & (slots.count - 1)
    while slots[slot] >= 0, lines[Int(slots[slot])] != line { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: 2 * slots.count)
    for (number, line) in lines.enumerated() { slots[slot(of: line)] = Int32(number) }
  }
}

/// Returns the lines of a text, each with its terminator.
func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
  var lines: [ArraySlice<UInt8>] = []
  let bytes = text.span
  var start = 0
  while start < bytes.count {
    let end = min(bytes.lineEnd(from: start, to: bytes.count) + 1, bytes.count)
    lines.append(text[(text.startIndex + start)..<(text.startIndex + end)])
    start = end
  }
  return lines
}
