/// The alerts of entries between two moments, in a zone. Pure: the same entries, rules and zone have the same alerts.
public struct OrgAlertPlan: Sendable {
  private let rules: OrgAlertRules
  private let zone: OrgZone

  /// A plan with some rules; wall times are those of a zone.
  public init(_ rules: OrgAlertRules, zone: OrgZone) { (self.rules, self.zone) = (rules, zone) }

  /// Returns the days whose dates have alerts between two moments, in seconds since 1970, for all entries without a property
  /// `APPT_WARNTIME`.
  package func days(from start: Int, to end: Int) -> OrgDaySpan { days(from: start, to: end, for: nil) }

  private func days(from start: Int, to end: Int, for item: OrgItem?) -> OrgDaySpan {
    OrgDaySpan(
      first: zone.moment(at: start).day.number - 1,
      last: zone.moment(at: end).day.number + 1 + rules.longestLead(of: item))
  }

  /// Returns the alerts that are due after `start` and not after `end`, in seconds since 1970, in order.
  public func alerts(of items: some Sequence<OrgItem>, after start: Int, to end: Int) -> [OrgAlert] {
    var alerts: [OrgAlert] = []
    for item in items where !item.isDone && !item.isComment && !item.isArchived {
      alerts += self.alerts(of: item, in: days(from: start, to: end, for: item)).filter {
        start < $0.due && $0.due <= end
      }
    }
    var seen: Set<String> = []
    return alerts.sorted().filter { seen.insert($0.id).inserted }
  }

  private func alerts(of item: OrgItem, in days: OrgDaySpan) -> [OrgAlert] {
    item.announcedDates.filter { rules.kinds.contains($0.kind) }.flatMap { kind, stamp in
      stamp.occurrences(in: days, kind).flatMap { day, time -> [OrgAlert] in
        let date = time ?? OrgMoment(day: day, minute: rules.dayMinute)
        return rules.leads(kind, hasTime: time != nil, of: item).map { number, minutes in
          OrgAlert(item, kind, date, hasTime: time != nil, number: number, due: due(minutes, before: date))
        }
      }
    }
  }

  /// Whole days before a date are days of the calendar, the remainder is real time.
  private func due(_ minutes: Int, before date: OrgMoment) -> Int {
    let day = OrgMoment(day: date.day.advanced(by: -(minutes / 1_440)), minute: date.minute)
    return zone.arrival(at: day) - minutes % 1_440 * 60
  }
}

extension OrgZone {
  /// Returns the seconds since 1970 at which the clock first shows a wall time or a later one: a time in the gap of summer time is
  /// the end of the gap, and a time that occurs twice is the first one.
  func arrival(at moment: OrgMoment) -> Int {
    let seconds = seconds(of: moment)
    guard self.moment(at: seconds) > moment else { return seconds }
    var (before, after) = (seconds - 86_400, seconds)
    while after - before > 1 {
      let middle = (before + after) / 2
      if self.moment(at: middle) > moment { after = middle } else { before = middle }
    }
    return after
  }
}

extension OrgItem {
  /// The dates of the entry that can be announced.
  fileprivate var announcedDates: [(kind: OrgAlert.Kind, stamp: OrgTimestamp)] {
    let planned: [(OrgAlert.Kind, OrgPlannedDate?)] = [(.scheduled, scheduled), (.deadline, deadline)]
    return planned.compactMap { kind, date in date?.timestamp.flatMap { $0.isActive ? (kind, $0) : nil } }
      + dates.filter(\.first.isActive).map { (.timestamp, $0.first) }
  }
}

extension OrgTimestamp {
  /// Returns the days of the timestamp within a span, with the wall time if it has one.
  fileprivate func occurrences(in days: OrgDaySpan, _ kind: OrgAlert.Kind) -> [(day: OrgDay, time: OrgMoment?)] {
    guard let step = repeaterStep, step.count > 0, kind != .timestamp || repeatsInAgenda else {
      return occurrences(on: date.advanced(by: hiddenDays(kind, isRepetition: false)), in: days)
    }
    if step.unit == "h", time != nil { return hours(step.count, in: days) }
    let first = max(date.number, days.first - hiddenDays(kind, isRepetition: false))
    guard first <= days.last else { return [] }
    return (first...days.last).map(OrgDay.init(number:)).filter(falls).flatMap { day in
      occurrences(on: day.advanced(by: hiddenDays(kind, isRepetition: day != date)), in: days)
    }
  }

  private func occurrences(on day: OrgDay, in days: OrgDaySpan) -> [(day: OrgDay, time: OrgMoment?)] {
    guard days.first <= day.number, day.number <= days.last else { return [] }
    return [(day, time.map { OrgMoment(day: day, minute: $0.hour * 60 + $0.minute) })]
  }

  /// The days for which a delay hides a scheduled date; `--` delays only the first one.
  private func hiddenDays(_ kind: OrgAlert.Kind, isRepetition: Bool) -> Int {
    guard kind == .scheduled, let delay, !isRepetition || !delay.hasPrefix("--") else { return 0 }
    return leadDays ?? 0
  }

  /// The times of a timestamp that is repeated each `count` hours of the wall clock.
  private func hours(_ count: Int, in days: OrgDaySpan) -> [(day: OrgDay, time: OrgMoment?)] {
    let first = OrgMoment(self)
    let missing = days.first * 1_440 - first.wallMinutes
    let start = max(0, (missing + count * 60 - 1).quotient(by: count * 60))
    let end = ((days.last + 1) * 1_440 - 1 - first.wallMinutes).quotient(by: count * 60)
    guard start <= end else { return [] }
    return (start...end).map { number in
      let time = first.advanced(byMinutes: number * count * 60)
      return (time.day, time)
    }
  }
}
