/// Deadlines and scheduled dates on the agenda of a day, as org-agenda-get-deadlines and org-agenda-get-scheduled have them.
extension DayAgenda {
  /// The day of a planned date, and that of its future occurrence as seen on this day.
  private struct Occurrence {
    var date: OrgDay
    var next: OrgDay
    var base: OrgDay
    var stamp: OrgTimestamp?
    /// The text behind an expression.
    var rest = ""

    /// The time to show: that of the timestamp, or one in the text behind an expression.
    var time: TimeSource {
      switch stamp?.time {
      case .some(let start): .text(stamp?.endTime.map { "\(start)-\($0) " } ?? "\(start) ")
      case .none: rest.isEmpty ? .headline : .text(rest)
      }
    }
  }

  private func occurrence(_ date: OrgPlannedDate, of item: OrgItem) -> Occurrence? {
    switch date {
    case .expression(let form, let rest):
      guard let expression = DiaryExpression(form), expression.entry("", on: day) != nil else { return nil }
      return Occurrence(date: day, next: day, base: day, stamp: nil, rest: rest)
    case .timestamp(let stamp):
      let date = settings.prefersLastRepeat(item.keyword) ? stamp.closest(to: today, .past) : stamp.date
      var next = date
      if day > today, let base = settings.repeatBase(of: day, today: today) { next = stamp.closest(to: base, .future) }
      return Occurrence(date: date, next: next, base: stamp.date, stamp: stamp)
    }
  }

  /// Adds the deadline of an item if it is shown on this day; returns true if it is.
  mutating func addDeadline(of item: OrgItem, withTime: Bool) -> Bool {
    guard let planned = item.deadline, let deadline = occurrence(planned, of: item) else { return false }
    if withTime, deadline.stamp?.time == nil { return false }
    let days = day.distance(to: deadline.date)
    let isThen = deadline.date == day || deadline.next == day
    guard isThen || isToday && isNear(deadline.stamp, of: item, days) else { return false }
    if item.isDone, settings.isOn("org-agenda-skip-deadline-if-done") || deadline.date != day { return false }
    let leader = leader("org-agenda-deadline-leaders", ["Deadline:  ", "In %3d d.: ", "%2d d. ago: "])
    let extra =
      isToday && deadline.date < today
      ? leader(2).filled(-days) : isToday && deadline.date > today ? leader(1).filled(days) : leader(0)
    let isUpcoming = isToday && deadline.date > today
    var row = row(isUpcoming ? .upcomingDeadline : .deadline, item, extra: extra, time: isThen ? deadline.time : .none)
    row.date = isUpcoming ? day : deadline.date
    row.timestampDate = deadline.date
    row.urgency = (row.urgency ?? 0) - (isToday ? days : 0)
    append(row)
    return true
  }

  /// Returns true if a deadline in `days` is announced, or if it is overdue.
  private func isNear(_ stamp: OrgTimestamp?, of item: OrgItem, _ days: Int) -> Bool {
    if days < 0 { return -days <= settings.number("org-deadline-past-days", 10_000) }
    let usual = stamp?.leadDays(usual: settings.warningDays, isDelay: false) ?? settings.warningDays
    return days <= shortenedWarning(of: item, days) ?? usual
  }

  /// The warning period of a deadline whose task has a scheduled date (org-agenda-skip-deadline-prewarning-if-scheduled).
  private func shortenedWarning(of item: OrgItem, _ days: Int) -> Int? {
    let setting = settings.value("org-agenda-skip-deadline-prewarning-if-scheduled")
    guard setting.isTrue, let scheduled = item.scheduled else { return nil }
    switch setting {
    case .number(let days): return days
    case .symbol("pre-scheduled"):
      guard let start = scheduled.timestamp?.date else { return nil }
      return min(start.distance(to: day.advanced(by: days)), settings.warningDays)
    default: return 0
    }
  }

  /// Adds the scheduled date of an item if it is shown on this day.
  mutating func addScheduled(of item: OrgItem, deadlineIsShown: Bool, withTime: Bool) {
    guard let planned = item.scheduled, let scheduled = occurrence(planned, of: item) else { return }
    if withTime, scheduled.stamp?.time == nil { return }
    let days = scheduled.date.distance(to: day)
    let isHabit = item.isHabit
    let isPast = scheduled.date < today
    if !(isToday && isHabit && settings.isOn("org-habit-show-all-today")) {
      let delay = delay(of: scheduled, item)
      let limit = isHabit ? settings["org-habit-scheduled-past-days"]?.number : nil
      if delay > 0, days < delay { return }
      if days > limit ?? settings.number("org-scheduled-past-days", 10_000) || days < 0 { return }
      if days != 0, !isToday, scheduled.next != day { return }
    }
    if item.isDone, settings.isOn("org-agenda-skip-scheduled-if-done") || days != 0 { return }
    if deadlineIsShown, !isHabit, isHiddenByDeadline(item, scheduled.date, isPast) { return }
    if isHabit, isHiddenHabit(item) { return }
    let isThen = isHabit || days == 0 || scheduled.next == day
    addScheduledRow(item, scheduled, days, isPast, time: isThen ? scheduled.time : .none)
  }

  private mutating func addScheduledRow(
    _ item: OrgItem, _ scheduled: Occurrence, _ days: Int, _ isPast: Bool, time: TimeSource
  ) {
    let leader = leader("org-agenda-scheduled-leaders", ["Scheduled: ", "Sched.%2dx: "])
    let isHabit = item.isHabit
    let habit = isHabit ? OrgHabit(item, limit: settings.precedingHabitDays + settings.followingHabitDays) : nil
    let extra = isHabit ? "" : isToday && isPast ? leader(1).filled(days) : leader(0)
    var row = row(isPast ? .pastScheduled : .scheduled, item, extra: extra, time: time)
    row.date = isPast ? scheduled.date : day
    row.timestampDate = scheduled.date
    row.urgency = habit?.urgency(on: today) ?? (row.urgency ?? 0) + 99 + days
    row.habit = habit?.graph(
      today: today, preceding: settings.precedingHabitDays, following: settings.followingHabitDays,
      doneIsGreen: settings.isOn("org-habit-show-done-always-green"))
    append(row)
  }

  private func delay(of scheduled: Occurrence, _ item: OrgItem) -> Int {
    guard let stamp = scheduled.stamp else { return 0 }
    if stamp.delay?.hasPrefix("--") ?? false, scheduled.date > scheduled.base { return 0 }
    var usual = settings.delayDays
    let setting = settings.value("org-agenda-skip-scheduled-delay-if-deadline")
    guard setting.isTrue, let deadline = item.deadline else { return stamp.leadDays(usual: usual, isDelay: true) }
    switch setting {
    case .number(let days): usual = -days
    case .symbol("post-deadline"):
      usual = min((deadline.timestamp?.date ?? scheduled.date).distance(to: scheduled.date), usual)
    default: usual = 0
    }
    return usual <= 0 ? -usual : stamp.leadDays(usual: usual, isDelay: true)
  }

  private func isHiddenByDeadline(_ item: OrgItem, _ date: OrgDay, _ isPast: Bool) -> Bool {
    switch settings.value("org-agenda-skip-scheduled-if-deadline-is-shown") {
    case .yes: return true
    case .symbol("not-today"): return isPast
    case .symbol("repeated-after-deadline"):
      guard let deadline = item.deadline?.timestamp?.date else { return false }
      return date <= deadline && day > deadline
    default: return false
    }
  }

  private func isHiddenHabit(_ item: OrgItem) -> Bool {
    item.isDone || !settings.isOn("org-habit-show-habits", true)
      || !isToday && settings.isOn("org-habit-show-habits-only-for-today", true)
  }

  private func leader(_ name: String, _ usual: [String]) -> (Int) -> String {
    let texts = settings[name]?.elements?.compactMap(\.text) ?? usual
    return { $0 < texts.count ? texts[$0] : usual[$0] }
  }
}

extension String {
  /// Replaces `%d`, `%2d`, `%3d` by a number, padded on the left.
  func filled(_ number: Int) -> String {
    guard let percent = utf8.firstIndex(of: UInt8(ascii: "%")),
      let end = utf8[percent...].firstIndex(of: UInt8(ascii: "d"))
    else { return self }
    let width = min(Int(self[index(after: percent)..<end]) ?? 0, 100)
    let digits = String(number)
    return self[..<percent] + String(repeating: " ", count: max(0, width - digits.count)) + digits
      + self[index(after: end)...]
  }
}
