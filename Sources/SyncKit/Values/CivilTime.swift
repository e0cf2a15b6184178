/// A timestamp as a date and a time of day in UTC.
public struct CivilTime: Hashable, Sendable {
  /// The parts of date and time in UTC; months and days count from 1.
  public let year, month, day, hour, minute, second: Int

  /// Converts a timestamp, as in Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms".
  public init(_ time: Timestamp) {
    let days = Int(time.seconds.quotient(by: 86_400))
    let rest = Int(time.seconds) - days * 86_400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3_600
    minute = rest / 60 % 60
    second = rest % 60
  }
}

extension CivilTime: CustomStringConvertible {
  /// The RFC 3339 text in UTC.
  public var description: String {
    digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(hour, 2) + ":" + digits(minute, 2)
      + ":" + digits(second, 2) + "Z"
  }
}

/// A number with at least `count` decimal digits.
private func digits(_ number: Int, _ count: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

extension Int64 {
  /// The quotient rounded down, also for negative numbers.
  fileprivate func quotient(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : (self - divisor + 1) / divisor
  }
}
