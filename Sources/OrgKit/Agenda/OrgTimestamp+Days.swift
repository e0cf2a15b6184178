extension OrgTimestamp {
  /// The day of the timestamp.
  public var date: OrgDay { OrgDay(year: year, month: month, day: day) }

  /// Returns true if the timestamp falls on a day: its own, or a later one on which it repeats.
  public func falls(on day: OrgDay) -> Bool {
    if day <= date { return day == date }
    // An empty interval does not repeat.
    guard let interval = repeater.flatMap({ Interval($0[...]) }), interval.count > 0 else { return false }
    return isRepeated(after: interval, on: day)
  }

  /// The warning period of a deadline in days, or the delay of a scheduled task, if given.
  public var leadDays: Int? { delay.flatMap { Interval($0[...]) }?.days }

  private func isRepeated(after interval: Interval, on later: OrgDay) -> Bool {
    let days = date.distance(to: later)
    switch interval.unit {
    case .hours:
      // Hours count from the time of day, or from midnight without one.
      let hours = days * 24 - (time?.hour ?? 0)
      let late = hours.remainder(by: interval.count)
      return late == 0 || interval.count - late < 24
    case .days: return days % interval.count == 0
    case .months:
      let target = later.date
      let months = (target.year - year) * 12 + target.month - month
      // A day that a month lacks overflows into the next month.
      return [months, months - 1].contains { months in
        months % interval.count == 0 && OrgDay(year: year, month: month + months, day: day) == later
      }
    }
  }
}

/// The interval of a repeater or delay: `+2w`, `.+1d`, `--3d`.
private struct Interval {
  enum Unit { case hours, days, months }

  let count: Int
  let unit: Unit
  /// The interval in whole days, with Org's average months and years (org-get-wdays).
  let days: Int

  /// Returns nil without a number and a unit.
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
