/// A date, a time of day, or both, with or without an offset from UTC: TOML's four types.
public enum TOMLDateTime: Sendable, Hashable {
  /// A date and time with an offset from UTC in minutes.
  case offset(Day, Time, minutes: Int)
  /// A date and time without a time zone.
  case local(Day, Time)
  /// A date.
  case date(Day)
  /// A time of day.
  case time(Time)

  /// A day of the Gregorian calendar.
  public struct Day: Sendable, Hashable {
    /// The parts of the date; months and days count from 1.
    public let year, month, day: Int
  }

  /// A time of day; digits beyond nanoseconds are truncated.
  public struct Time: Sendable, Hashable {
    /// The parts of the time of day.
    public let hour, minute, second, nanosecond: Int
  }
}

extension TOMLDateTime: CustomStringConvertible {
  /// The text in TOML (RFC 3339).
  public var description: String {
    switch self {
    case .offset(let day, let time, let minutes): "\(day)T\(time)\(Self.offset(minutes))"
    case .local(let day, let time): "\(day)T\(time)"
    case .date(let day): "\(day)"
    case .time(let time): "\(time)"
    }
  }

  private static func offset(_ minutes: Int) -> String {
    guard minutes != 0 else { return "Z" }
    let size = abs(minutes)
    return (minutes < 0 ? "-" : "+") + padded(size / 60, to: 2) + ":" + padded(size % 60, to: 2)
  }
}

extension TOMLDateTime.Day: CustomStringConvertible {
  /// `1979-05-27`.
  public var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }
}

extension TOMLDateTime.Time: CustomStringConvertible {
  /// `07:32:00.5`.
  public var description: String {
    let whole = "\(padded(hour, to: 2)):\(padded(minute, to: 2)):\(padded(second, to: 2))"
    guard nanosecond > 0 else { return whole }
    let digits = padded(nanosecond, to: 9)
    return whole + "." + digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
  }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension TOMLDateTime {
  /// Parses `word` as one of the four types; returns nil if it is none, or the date or time does not exist.
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
  /// Parses `YYYY-MM-DD`.
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
  /// Parses `HH:MM:SS` with an optional fraction. Second 60 is a leap second (RFC 3339, 5.7).
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

/// Returns the numbers between `separator` in `text`; nil unless their digit counts are `widths`.
private func numbers(_ text: Substring, widths: [Int], separator: Character) -> [Int]? {
  let parts = text.split(separator: separator, omittingEmptySubsequences: false)
  guard parts.map(\.utf8.count) == widths, parts.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isDigit) }) else {
    return nil
  }
  return parts.compactMap { Int($0) }
}
