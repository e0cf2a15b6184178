/// Gives equal lines of several texts the same number, so that comparing lines is comparing numbers.
struct LineTable {
  private var numbers: [LineKey: Int32] = [:]

  /// How many different lines there are; their numbers are below it.
  var count: Int { numbers.count }

  /// One number per line; lines are equal exactly if their numbers are.
  mutating func numbers(of lines: [ArraySlice<UInt8>]) -> [Int32] {
    lines.map { number(of: LineKey($0)) }
  }

  private mutating func number(of line: LineKey) -> Int32 {
    if let known = numbers[line] { return known }
    let new = Int32(numbers.count)
    numbers[line] = new
    return new
  }
}

/// The lines of a text, each with its terminator; together they are the text.
func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
  var lines: [ArraySlice<UInt8>] = []
  var start = text.startIndex
  let bytes = text.span
  for offset in bytes.indices where bytes[offset] == .newline {
    let end = text.startIndex + offset + 1
    lines.append(text[start..<end])
    start = end
  }
  if start < text.endIndex { lines.append(text[start...]) }
  return lines
}
