/// The beginning of a list item: indentation, bullet, counter and checkbox, as positions in its line.
struct ListMarker {
  /// `-`, `+`, `*` or a number with `.` or `)`.
  let bullet: Range<Int>
  /// True if `[@5]` sets the number.
  let hasCounter: Bool
  /// The character in the checkbox: space, `-` or `X`.
  let box: UInt8?
  /// The position at which the text of the item begins.
  let contentStart: Int
  /// The number in the bullet; nil for bullets without one.
  let number: Int?

  init?(_ line: Bytes) {
    let bytes = line.span
    let start = bytes.firstNonBlank()
    guard let end = Self.bulletEnd(bytes, start), end == bytes.count || bytes[end].isBlank else { return nil }
    bullet = line.startIndex + start..<line.startIndex + end
    number = Self.number(bytes, start, end - 1)
    var rest = bytes.firstNonBlank(from: end)
    let counterEnd = Self.counterEnd(bytes, rest)
    hasCounter = counterEnd != nil
    if let counterEnd { rest = bytes.firstNonBlank(from: counterEnd) }
    box = Self.box(bytes, rest)
    contentStart = line.startIndex + (box == nil ? rest : bytes.firstNonBlank(from: rest + 3))
  }

  /// Returns true if a line with this first byte can begin an item.
  static func mayBegin(with first: UInt8) -> Bool {
    first == UInt8(ascii: "-") || first == UInt8(ascii: "+") || first == .star || first.isDigit
  }

  private static func bulletEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "-"), UInt8(ascii: "+"): return start + 1
    case .star: return start > 0 ? start + 1 : nil
    default:
      var end = start
      while end < bytes.count, bytes[end].isDigit { end += 1 }
      guard end > start, end < bytes.count else { return nil }
      return bytes[end] == UInt8(ascii: ".") || bytes[end] == UInt8(ascii: ")") ? end + 1 : nil
    }
  }

  private static func number(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    // A larger number would overflow, and no list is that long.
    guard start < end, end - start < 18 else { return nil }
    var number = 0
    for position in start..<end { number = 10 * number + Int(bytes[position] - UInt8(ascii: "0")) }
    return number
  }

  private static func counterEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard bytes.has("[@", at: start) else { return nil }
    var end = start + 2
    while end < bytes.count, bytes[end].isDigit || bytes[end].isLetter { end += 1 }
    return end > start + 2 && end < bytes.count && bytes[end] == UInt8(ascii: "]") ? end + 1 : nil
  }

  private static func box(_ bytes: Span<UInt8>, _ start: Int) -> UInt8? {
    guard start + 3 <= bytes.count, bytes[start] == UInt8(ascii: "["), bytes[start + 2] == UInt8(ascii: "]"),
      start + 3 == bytes.count || bytes[start + 3].isBlank
    else { return nil }
    let mark = bytes[start + 1]
    return mark == .space || mark == UInt8(ascii: "-") || mark == UInt8(ascii: "X") ? mark : nil
  }
}

/// A footnote definition: `[fn:LABEL]` at the beginning of a line.
enum Footnote {
  static func label(_ line: Bytes) -> Bytes? {
    let bytes = line.span
    guard bytes.has("[fn:", at: 0) else { return nil }
    var end = 4
    while end < bytes.count, bytes[end].isWordByte || bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "_")
    {
      end += 1
    }
    guard end > 4, end < bytes.count, bytes[end] == UInt8(ascii: "]") else { return nil }
    return line[(line.startIndex + 4)..<(line.startIndex + end)]
  }
}
