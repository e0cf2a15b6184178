/// Why an entry is on the agenda of a day.
public struct OrgOccasion: Sendable, Hashable {
  /// What it is on the agenda for.
  public enum Kind: Sendable, Hashable {
    /// A deadline this many days ahead, or overdue if negative; other than 0 on the present day only.
    case deadline(inDays: Int)
    /// A task whose date was this many days ago: not done since, or repeated.
    case scheduled(daysAgo: Int)
    /// A timestamp.
    case timestamp
    /// One day of a stretch, counted from 1, and how many days it has.
    case range(day: Int, of: Int)
  }

  /// What it is on the agenda for.
  public var kind: Kind
  /// When it begins on that day, if it has a time.
  public var time: OrgTimestamp.Time?
  /// When it ends on that day, if it says so.
  public var endTime: OrgTimestamp.Time?

  fileprivate init(_ kind: Kind, at stamp: OrgTimestamp? = nil) {
    self.kind = kind
    (time, endTime) = (stamp?.time, stamp?.endTime)
  }
}

extension OrgDates {
  /// How long before a deadline one is warned where the entry does not say it (org-deadline-warning-days).
  public static var usualWarning: Int { 14 }

  /// Why the entry is on the agenda of `day`, seen from `today`, in the order in which Org lists it; as Org's agenda has it
  /// when nothing about it is set: deadlines are announced, and what was not done is carried along to the present day.
  public func occasions(on day: OrgDay, today: OrgDay) -> [OrgOccasion] {
    [deadlineOccasion(day, today), scheduledOccasion(day, today)].compactMap(\.self)
      + ranges.compactMap { Self.occasion(of: $0, on: day) }
      + timestamps.filter { $0.falls(on: day) }.map { OrgOccasion(.timestamp, at: $0) }
  }

  private func deadlineOccasion(_ day: OrgDay, _ today: OrgDay) -> OrgOccasion? {
    guard let deadline else { return nil }
    let isOnTheDay = deadline.date == day || (day > today && deadline.falls(on: day))
    // A task that is done is shown on the very date only.
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
    // The hour of the beginning is that of the first day, the hour of the end that of the last one.
    if day == first || range.first.time == range.last.time { occasion.time = range.first.time }
    if day == last { occasion.time = range.last.time }
    return occasion
  }
}
