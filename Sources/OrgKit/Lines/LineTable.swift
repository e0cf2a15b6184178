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
  let bytes = text.span
  var start = 0
  while start < bytes.count {
    let end = min(bytes.lineEnd(from: start, to: bytes.count) + 1, bytes.count)
    lines.append(text[(text.startIndex + start)..<(text.startIndex + end)])
    start = end
  }
  return lines
}
