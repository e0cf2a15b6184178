extension TOMLDateTime {
  /// Reads `word` as one of the four kinds; nil if it is none of them or no such day or time exists.
  init?(_ word: String) {
    if let day = Day(word) {
      self = .date(day)
    } else if let time = Time(word[...]) {
      self = .time(time)
    } else {
      guard word.utf8.count > 10, let day = Day(String(word.prefix(10))) else { return nil }
      let separator = word.dropFirst(10).first
      guard separator == "T" || separator == "t" else { return nil }
      self.init(day, word.dropFirst(11))
    }
  }

  private init?(_ day: Day, _ rest: Substring) {
    guard let zone = rest.firstIndex(where: { "Zz+-".contains($0) }) else {
      guard let time = Time(rest) else { return nil }
      self = .local(day, time)
      return
    }
    guard let time = Time(rest[..<zone]), let minutes = Self.minutes(rest[zone...]) else { return nil }
    self = .offset(day, time, minutes: minutes)
  }

  /// The offset `Z` or `+HH:MM` in minutes.
  private static func minutes(_ zone: Substring) -> Int? {
    if zone == "Z" || zone == "z" { return 0 }
    guard let sign = zone.first, let parts = numbers(zone.dropFirst(), widths: [2, 2], separator: ":"),
      parts[0] < 24, parts[1] < 60
    else { return nil }
    return (sign == "-" ? -1 : 1) * (parts[0] * 60 + parts[1])
  }
}

extension TOMLDateTime.Day {
  /// Reads `YYYY-MM-DD`.
  init?(_ word: String) {
    guard let parts = numbers(word[...], widths: [4, 2, 2], separator: "-"),
      (1...12).contains(parts[1]), (1...Self.days(in: parts[1], of: parts[0])).contains(parts[2])
    else { return nil }
    self.init(year: parts[0], month: parts[1], day: parts[2])
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension TOMLDateTime.Time {
  /// Reads `HH:MM:SS` with an optional fraction. Second 60 is a leap second (RFC 3339, 5.7).
  init?(_ word: Substring) {
    let halves = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let parts = numbers(halves[0], widths: [2, 2, 2], separator: ":"),
      parts[0] < 24, parts[1] < 60, parts[2] <= 60,
      let nanosecond = halves.count == 2 ? Self.nanoseconds(halves[1]) : 0
    else { return nil }
    self.init(hour: parts[0], minute: parts[1], second: parts[2], nanosecond: nanosecond)
  }

  private static func nanoseconds(_ fraction: Substring) -> Int? {
    guard !fraction.isEmpty, fraction.unicodeScalars.allSatisfy(\.isDigit) else { return nil }
    return Int((fraction + "000000000").prefix(9))
  }
}

/// The numbers that stand between `separator` in `text`, if each has as many digits as `widths` says.
private func numbers(_ text: Substring, widths: [Int], separator: Character) -> [Int]? {
  let parts = text.split(separator: separator, omittingEmptySubsequences: false)
  guard parts.map(\.utf8.count) == widths, parts.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isDigit) }) else {
    return nil
  }
  return parts.compactMap { Int($0) }
}
