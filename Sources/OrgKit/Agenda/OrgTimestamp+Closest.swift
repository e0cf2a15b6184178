extension OrgTimestamp {
  /// The side of a day on which an occurrence is searched.
  enum Side { case past, future }

  /// Returns the day of the repeated timestamp that is closest to `day`: at or before it, or at or after it. Without a
  /// repeater, and if the timestamp itself is later, it is the day of the timestamp (org-closest-date).
  func closest(to day: OrgDay, _ side: Side) -> OrgDay {
    guard let step = repeaterStep, step.count > 0, day > date else { return date }
    let (before, after) = neighbours(of: day, step)
    return side == .past ? (after == day ? after : before) : (before == day ? before : after)
  }

  /// The number and unit of a repeater, such as 2 and `w`.
  var repeaterStep: (count: Int, unit: Character)? {
    guard let repeater, let plus = repeater.lastIndex(of: "+") else { return nil }
    let digits = repeater[repeater.index(after: plus)...].prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 5, let count = Int(digits), digits.endIndex < repeater.endIndex,
      "hdwmy".contains(repeater[digits.endIndex])
    else { return nil }
    return (count, repeater[digits.endIndex])
  }

  /// True if a plain timestamp is repeated in the agenda: its repeater has no second part, and nothing follows it.
  var repeatsInAgenda: Bool {
    guard let repeater, let last = repeater.last, repeaterStep != nil else { return false }
    return "hdwmy".contains(last) && !repeater.contains("/") && delay == nil
  }

  private func neighbours(of day: OrgDay, _ step: (count: Int, unit: Character)) -> (OrgDay, OrgDay) {
    switch step.unit {
    case "h":
      let missing = (24 * date.distance(to: day) - (time?.hour ?? 0)).remainder(by: step.count)
      let before = missing == 0 ? day : day.advanced(by: -(1 + missing / 24))
      return (before, day.advanced(by: (step.count - missing) / 24))
    case "m": return months(around: day, by: step.count)
    case "y": return months(around: day, by: step.count * 12)
    default:
      let days = step.unit == "w" ? step.count * 7 : step.count
      let before = date.advanced(by: date.distance(to: day) / days * days)
      return (before, before.advanced(by: days))
    }
  }

  private func months(around day: OrgDay, by step: Int) -> (OrgDay, OrgDay) {
    let target = day.date
    // A month is complete only on a later day of the month.
    let complete = 12 * (target.year - year) + target.month - month + (target.day > self.day ? 0 : -1)
    let months = Self.truncated(complete, step)
    let at = { OrgDay(year: year, month: month + $0, day: self.day) }
    return (at(months), at(months + step))
  }

  private static func truncated(_ number: Int, _ step: Int) -> Int { number / step * step }

  /// Returns the warning period of a deadline or the delay of a scheduled date in days; `usual` without a cookie (org-get-wdays).
  func leadDays(usual: Int, isDelay: Bool) -> Int {
    if isDelay ? usual < 0 : usual <= 0 { return -usual }
    return leadDays ?? usual
  }
}
