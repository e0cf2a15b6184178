/// Reads dates as a person types them, by the rules of `org-read-date`: `+2d`, `fri`, `15 feb`, `2026-03-12 10:00-11:30`.
public struct OrgDateReader: Sendable {
  private let now: OrgMoment
  private let zone: OrgZone
  /// The date that `++2d` counts from, and that missing parts come from.
  private let standard: OrgMoment
  private let prefersFuture: Bool
  private let prefersFutureTime: Bool
  private let keepsCompatibleYears: Bool

  /// A date that was read.
  public struct Reading: Sendable, Hashable {
    /// The day and the time; without a time, that of the default.
    public var moment: OrgMoment
    /// True if a time was given.
    public var hasTime: Bool
    /// The end of a time range.
    public var end: OrgTimestamp.Time?

    /// Returns the date as a timestamp.
    public func stamp(isActive: Bool) -> OrgTimestamp {
      var stamp = moment.timestamp(isActive: isActive, withTime: hasTime)
      if hasTime { stamp.endTime = end }
      return stamp
    }
  }

  /// A reader at a moment; `standard` is the old date of what is changed.
  public init(now: OrgMoment, zone: OrgZone = .utc, standard: OrgMoment? = nil, settings: OrgSettings = OrgSettings()) {
    (self.now, self.zone, self.standard) = (now, zone, standard ?? now)
    let future = settings.value("org-read-date-prefer-future", default: .yes)
    (prefersFuture, prefersFutureTime) = (future.isTrue, future == .symbol("time"))
    keepsCompatibleYears = settings.isOn("org-read-date-force-compatible-dates", default: true)
  }

  /// Reads a date. Words that are not part of a date are ignored, as in Org.
  public func read(_ text: String) throws(Refusal) -> Reading {
    let (typed, slots) = parts(of: text)
    return reading(slots, typed)
  }

  /// Reads a date as ``read(_:)`` does, but refuses a text that Org would read as another date: with a word that it would ignore, a
  /// day, month or week that does not exist, or a year that it would replace. A timestamp in brackets is read, too.
  package func readStrictly(_ text: String) throws(Refusal) -> Reading {
    let stamp = TypedStamp(text)
    let (typed, slots) = parts(of: try TypedWords(date: stamp.isInBrackets ? stamp.date : text).text)
    if let missing = missingDay(slots, typed) {
      throw Refusal(.invalid, "\"\(text)\" is not a date: \(missing) is not a day that exists")
    }
    let reading = reading(slots, typed)
    let year = adjusted(date(slots, typed), slots, typed).year
    guard !keepsCompatibleYears || Self.compatibleYears.contains(year < 100 ? year + 2000 : year) else {
      throw Refusal(
        .invalid,
        "\"\(text)\" is in a year that Org does not write: before \(Self.compatibleYears.lowerBound) or after "
          + "\(Self.compatibleYears.upperBound); the variable org-read-date-force-compatible-dates allows it if it is nil"
      )
    }
    return reading
  }

  /// The years that all systems can represent, to which Org limits dates.
  private static let compatibleYears = 1970...2037

  private func parts(of text: String) -> (typed: TypedDate, slots: TimeSlots) {
    var typed = TypedDate(text, now: now, standard: standard)
    typed.normalize()
    return (typed, TimeSlots(typed.text))
  }

  /// Returns the day or week that was typed if the calendar lacks it.
  private func missingDay(_ slots: TimeSlots, _ typed: TypedDate) -> String? {
    if typed.delta != nil { return nil }
    let (year, month, day) = date(slots, typed)
    if let week = typed.week {
      let weekYear = week.year ?? year
      let thursday = Self.monday(ofWeek: week.number, weekYear).advanced(by: 3)
      return thursday.date.year == weekYear ? nil : "week \(week.number) of \(weekYear)"
    }
    // The day of a month that is named without it is that of today.
    let full = (year: (year < 100 ? year + 2000 : year) + (month - 1) / 12, month: (month - 1) % 12 + 1, day: day)
    guard OrgDay(year: full.year, month: full.month, day: day).date != full else { return nil }
    return OrgDay(year: full.year, month: full.month, day: 1).iso.dropLast(2) + "\(day)"
  }

  private func reading(_ slots: TimeSlots, _ typed: TypedDate) -> Reading {
    var (year, month, day) = date(slots, typed)
    let wanted = slots.hour.map { ($0, slots.minute ?? 0) }
    if prefersFutureTime, slots.day == nil, slots.month == nil, slots.year == nil, let wanted,
      OrgDay(year: year, month: month, day: day) == now.day, wanted.0 * 60 + wanted.1 < now.minute
    {
      day += 1
    }
    (year, month, day) = adjusted((year, month, day), slots, typed)
    if year < 100 { year += 2000 }
    if keepsCompatibleYears { year = min(max(year, Self.compatibleYears.lowerBound), Self.compatibleYears.upperBound) }
    let time = wanted ?? (standard.minute / 60, standard.minute % 60)
    let moment = OrgMoment(year: year, month: month, day: day, hour: time.0, minute: time.1)
    return Reading(moment: zone.existing(moment), hasTime: slots.hour != nil, end: typed.end)
  }

  /// Returns year, month and day from what was typed; missing parts come from the default or lie in the future.
  private func date(_ slots: TimeSlots, _ typed: TypedDate) -> (year: Int, month: Int, day: Int) {
    let (thisYear, thisMonth, thisDay) = now.day.date
    let other = standard.day.date
    let day = slots.day ?? other.day
    var (month, isFuture) = (other.month, false)
    if let given = slots.month {
      month = given
    } else if prefersFuture, slots.day != nil {
      (month, isFuture) = (day < thisDay ? thisMonth + 1 : thisMonth, true)
    }
    var year = other.year
    if let given = slots.year, !typed.lacksYear {
      year = given
    } else if prefersFuture, isFuture {
      year = month > thisMonth || day >= thisDay ? thisYear : thisYear + 1
    } else if prefersFuture, slots.month != nil {
      year = month < thisMonth || month == thisMonth && day < thisDay ? thisYear + 1 : thisYear
    }
    return (year, month, day)
  }

  /// Applies a week, a distance or a weekday.
  private func adjusted(
    _ date: (year: Int, month: Int, day: Int), _ slots: TimeSlots, _ typed: TypedDate
  ) -> (year: Int, month: Int, day: Int) {
    let (year, month, day) = date
    if let week = typed.week {
      let monday = Self.monday(ofWeek: week.number, week.year ?? year)
      let weekday = week.weekday ?? slots.weekday ?? 1
      return monday.advanced(by: weekday == 0 ? 6 : weekday - 1).date
    }
    if let delta = typed.delta {
      var (year, month, day) = delta.isFromStandard ? (year, month, day) : now.day.date
      switch delta.unit {
      case "d": day += delta.count
      case "w": day += 7 * delta.count
      case "m": month += delta.count
      case "y": year += delta.count
      default: break
      }
      return (year, month, day)
    }
    guard let weekday = slots.weekday, slots.day == nil else { return (year, month, day) }
    let present = OrgDay(year: year, month: month, day: day).weekday % 7
    return (year, month, weekday == present ? day : day + (weekday - present + 7) % 7)
  }

  /// Returns the first day of an ISO week; a number after the last one leads into the next year.
  private static func monday(ofWeek number: Int, _ year: Int) -> OrgDay {
    let fourth = OrgDay(year: year, month: 1, day: 4)
    return fourth.advanced(by: 1 - fourth.weekday + 7 * (number - 1))
  }
}
