/// Words that occur once in all files of a test, so that their bytes can be looked for anywhere.
enum Marker {
  private static let digits = 7

  static func text(_ number: Int) -> String {
    let text = String(number)
    return "k" + String(repeating: "0", count: digits - text.count) + text
  }

  /// Returns the numbers of the markers in these bytes.
  static func numbers(in bytes: [UInt8]) -> Set<Int> {
    var found: Set<Int> = []
    let span = bytes.span
    guard bytes.count > digits else { return found }
    for start in 0..<(bytes.count - digits) where span[start] == UInt8(ascii: "k") {
      if let number = number(span, from: start + 1) { found.insert(number) }
    }
    return found
  }

  private static func number(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var number = 0
    for place in start..<(start + digits) {
      guard bytes[place] >= UInt8(ascii: "0"), bytes[place] <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + Int(bytes[place] - UInt8(ascii: "0"))
    }
    return number
  }
}
