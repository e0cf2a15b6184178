/// Durations as Org writes them: `1:30`, `2h 10min`, `1d`, `90`.
enum OrgDuration {
  /// Returns the minutes of a duration; nil if it is none.
  static func minutes(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard !words.isEmpty else { return nil }
    var total = 0.0
    for word in words {
      guard let minutes = part(word) else { return nil }
      total += minutes
    }
    return total.magnitude <= Double(Int.greatestWritten) ? Int(total) : nil
  }

  private static func part(_ word: Substring) -> Double? {
    let numbers = word.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    if numbers.count > 1 {
      guard numbers.count <= 3, numbers.allSatisfy({ $0 != nil }) else { return nil }
      return (numbers[0] ?? 0) * 60 + (numbers[1] ?? 0) + (numbers.count == 3 ? (numbers[2] ?? 0) / 60 : 0)
    }
    if let plain = numbers[0] { return plain }
    let digits = word.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), let unit = units[word.dropFirst(digits.count)] else { return nil }
    return number * unit
  }

  private static let units: [Substring: Double] = [
    "min": 1, "h": 60, "d": 1440, "w": 10_080, "m": 43_200, "y": 525_960,
  ]

  /// Returns hours and minutes, `1:05`; the hours are not limited.
  static func text(_ minutes: Int) -> String {
    "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
  }
}
