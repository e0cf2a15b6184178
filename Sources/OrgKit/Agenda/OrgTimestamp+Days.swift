extension OrgTimestamp {
  /// The day that the timestamp names.
  public var date: OrgDay { OrgDay(year: year, month: month, day: day) }

  /// Returns true if it falls on a day: the one it names, or a later one that it repeats on.
  public func falls(on day: OrgDay) -> Bool {
    if day <= date { return day == date }
    // An interval of nothing is none.
    guard let interval = repeater.flatMap({ Interval($0[...]) }), interval.count > 0 else { return false }
    return isRepeated(after: interval, on: day)
  }

  /// How many days before a deadline one is warned, or how many days after its date a task is put off, if it says so.
  public var leadDays: Int? { delay.flatMap { Interval($0[...]) }?.days }

  private func isRepeated(after interval: Interval, on later: OrgDay) -> Bool {
    let days = date.distance(to: later)
    switch interval.unit {
    case .hours:
      // Hours count from the time of day, without one from midnight.
      let hours = days * 24 - (time?.hour ?? 0)
      let late = hours.remainder(by: interval.count)
      return late == 0 || interval.count - late < 24
    case .days: return days % interval.count == 0
    case .months:
      let target = later.date
      let months = (target.year - year) * 12 + target.month - month
      // A day that a month lacks has gone into the next one.
      return [months, months - 1].contains { months in
        months % interval.count == 0 && OrgDay(year: year, month: month + months, day: day) == later
      }
    }
  }
}

/// A length of time as repeaters and delays tell it: `+2w`, `.+1d`, `--3d`.
private struct Interval {
  enum Unit { case hours, days, months }

  let count: Int
  let unit: Unit
  /// In whole days, with Org's average months and years (org-get-wdays).
  let days: Int

  /// Nil where there is no number with a unit.
  init?(_ text: Substring) {
    let rest = text.drop { ".+-".contains($0) }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 5, let number = Int(digits) else { return nil }
    switch rest.dropFirst(digits.count).first {
    case "h": (count, unit, days) = (number, .hours, number / 24)
    case "d": (count, unit, days) = (number, .days, number)
    case "w": (count, unit, days) = (number * 7, .days, number * 7)
    case "m": (count, unit, days) = (number, .months, number * 304 / 10)
    case "y": (count, unit, days) = (number * 12, .months, number * 36_525 / 100)
    default: return nil
    }
  }
}
