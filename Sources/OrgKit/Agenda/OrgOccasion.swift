/// The reason why an entry is on the agenda of a day.
public struct OrgOccasion: Sendable, Hashable {
  /// The kind of occasion.
  public enum Kind: Sendable, Hashable {
    /// A deadline in this number of days, or overdue if negative; other than 0 only on the present day.
    case deadline(inDays: Int)
    /// A task that was scheduled this number of days ago: not done since, or repeated.
    case scheduled(daysAgo: Int)
    /// A timestamp.
    case timestamp
    /// One day of a range, counted from 1, and the number of days in the range.
    case range(day: Int, of: Int)
  }

  /// The kind of occasion.
  public var kind: Kind
  /// The start time on that day, if there is one.
  public var time: OrgTimestamp.Time?
  /// The end time on that day, if there is one.
  public var endTime: OrgTimestamp.Time?

  fileprivate init(_ kind: Kind, at stamp: OrgTimestamp? = nil) {
    self.kind = kind
    (time, endTime) = (stamp?.time, stamp?.endTime)
  }
}

extension OrgDates {
  /// The default warning period of deadlines in days (org-deadline-warning-days).
  public static var usualWarning: Int { 14 }

  /// Returns the entry's occasions on `day`, as seen from `today`, in Org's order and with Org's defaults: deadlines are
  /// announced in advance, and open tasks move along to the present day.
  public func occasions(on day: OrgDay, today: OrgDay) -> [OrgOccasion] {
    [deadlineOccasion(day, today), scheduledOccasion(day, today)].compactMap(\.self)
      + ranges.compactMap { Self.occasion(of: $0, on: day) }
      + timestamps.filter { $0.falls(on: day) }.map { OrgOccasion(.timestamp, at: $0) }
  }

  private func deadlineOccasion(_ day: OrgDay, _ today: OrgDay) -> OrgOccasion? {
    guard let deadline else { return nil }
    let isOnTheDay = deadline.date == day || (day > today && deadline.falls(on: day))
    // A completed task is only shown on its date.
    if isDone, deadline.date != day { return nil }
    if isOnTheDay { return OrgOccasion(.deadline(inDays: 0), at: deadline) }
    let days = day.distance(to: deadline.date)
    guard day == today, days <= deadline.leadDays ?? Self.usualWarning else { return nil }
    return OrgOccasion(.deadline(inDays: days))
  }

  private func scheduledOccasion(_ day: OrgDay, _ today: OrgDay) -> OrgOccasion? {
    guard let scheduled, scheduled.date <= day else { return nil }
    let days = scheduled.date.distance(to: day)
    if let delay = scheduled.leadDays, days < delay { return nil }
    if isDone, days != 0 { return nil }
    if days == 0 || (day > today && scheduled.falls(on: day)) {
      return OrgOccasion(.scheduled(daysAgo: days), at: scheduled)
    }
    return day == today ? OrgOccasion(.scheduled(daysAgo: days)) : nil
  }

  private static func occasion(
    of range: (first: OrgTimestamp, last: OrgTimestamp), on day: OrgDay
  ) -> OrgOccasion? {
    let (first, last) = (range.first.date, range.last.date)
    guard first <= day, day <= last else { return nil }
    if first == last {
      var occasion = OrgOccasion(.timestamp, at: range.first)
      occasion.endTime = range.first.endTime ?? (range.first.time == nil ? nil : range.last.time)
      return occasion
    }
    var occasion = OrgOccasion(.range(day: first.distance(to: day) + 1, of: first.distance(to: last) + 1))
    // The start time applies to the first day, the end time to the last.
    if day == first || range.first.time == range.last.time { occasion.time = range.first.time }
    if day == last { occasion.time = range.last.time }
    return occasion
  }
}
