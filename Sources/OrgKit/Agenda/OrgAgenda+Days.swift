extension OrgAgenda {
  /// Returns the agenda of some days: a heading, then for each day its heading and its rows in order.
  ///
  /// - Parameters:
  ///   - start: a day of the first week, or the first day; nil is today.
  ///   - span: the number of days; nil is the usual one (org-agenda-span).
  public func days(from start: OrgDay? = nil, span: OrgAgendaSpan? = nil) -> [OrgAgendaRow] {
    let span = span ?? OrgAgendaSpan(settings["org-agenda-span"] ?? .symbol("week")) ?? .week
    let first = firstDay(start ?? now.day, span)
    let count = span.count(from: first)
    let last = first.advanced(by: count - 1)
    let weeks = first.week == last.week ? first.weekName : "\(first.weekName)-\(last.weekName)"
    let items = AgendaItems(shownFiles(), today: now.day, isSelective: count > 1 && !settings.showsLog)
    return [header("\(span.title)-agenda" + (count > 350 ? ":" : " (\(weeks)):"))]
      + (0..<count).flatMap { rows(of: first.advanced(by: $0), items, dayCount: count) }
  }

  /// A week begins on the day of `org-agenda-start-on-weekday`.
  private func firstDay(_ start: OrgDay, _ span: OrgAgendaSpan) -> OrgDay {
    guard span == .week || span == .fortnight else { return start }
    guard let weekday = (settings["org-agenda-start-on-weekday"] ?? 1).number else { return start }
    return start.advanced(by: -(start.weekday - weekday).remainder(by: 7))
  }

  private func rows(of day: OrgDay, _ items: AgendaItems, dayCount: Int) -> [OrgAgendaRow] {
    var agenda = DayAgenda(day, today: now.day, settings)
    for items in items.items(on: day) where !items.isEmpty { agenda.add(items) }
    if agenda.rows.isEmpty, !settings.isOn("org-agenda-show-all-dates", true) { return [] }
    var heading = OrgAgendaRow(.day, heading: day.agendaHeading, day: day)
    heading.date = day
    let order = settings.order(of: "agenda")
    let grid = AgendaGrid(settings).rows(for: agenda.rows, on: day, now: now, dayCount: dayCount)
    let rows = order.contains("time-up") ? grid + agenda.rows : agenda.rows + grid
    return [heading] + sorted(rows, "agenda")
  }
}

extension OrgDay {
  /// The week as in headings: `W11`.
  var weekName: String { "W\(week < 10 ? "0" : "")\(week)" }

  /// The name of the weekday.
  public var weekdayName: String {
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][weekday - 1]
  }

  /// The name of the month.
  public var monthName: String {
    [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ][date.month - 1]
  }

  /// The heading of a day: `Tuesday    10 March 2026`, with the week on Mondays.
  var agendaHeading: String {
    let (year, _, day) = date
    return "\(weekdayName.padded(to: 10)) \(day < 10 ? " " : "")\(day) \(monthName) \(year)"
      + (weekday == 1 ? " \(weekName)" : "")
  }

  /// The date in ISO 8601: `2026-03-10`.
  public var iso: String {
    let (year, month, day) = date
    let digits = { (number: Int, width: Int) in
      String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
  }

  /// Parses a date in ISO 8601, with a year of four digits.
  public init?(iso text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard iso == text else { return nil }
  }
}

extension String {
  /// The text with blanks at its end up to a display width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth(utf8)))
  }
}

/// The lines of the time grid (org-agenda-time-grid).
struct AgendaGrid {
  private let settings: OrgAgendaSettings

  init(_ settings: OrgAgendaSettings) { self.settings = settings }

  func rows(for rows: [OrgAgendaRow], on day: OrgDay, now: OrgMoment, dayCount: Int) -> [OrgAgendaRow] {
    let isToday = day == now.day
    let grid = settings["org-agenda-time-grid"]?.elements
    let when = grid?.first?.elements?.compactMap(\.symbol) ?? ["daily", "today", "require-timed"]
    let isWanted =
      isToday && when.contains("today") || dayCount == 1 && when.contains("daily") || when.contains("weekly")
    guard settings.isOn("org-agenda-use-time-grid", true), isWanted else { return [] }
    let times = Set(rows.compactMap { $0.time.map { $0.hour * 100 + $0.minute } })
    if when.contains("require-timed"), times.isEmpty { return [] }
    let usual = [800, 1000, 1200, 1400, 1600, 1800, 2000]
    let lines = grid.flatMap { $0.count > 1 ? $0[1].elements?.compactMap(\.number) : nil } ?? usual
    let text = grid.flatMap { $0.count > 3 ? $0[3].text : nil } ?? "----------------"
    var result = lines.filter { !(when.contains("remove-match") && times.contains($0)) }
      .map { line(OrgTimestamp.Time(hour: $0 / 100, minute: $0 % 100), text, day) }
    if isToday, settings.isOn("org-agenda-show-current-time-in-grid", true) {
      let text =
        settings["org-agenda-current-time-string"]?.text ?? "now - - - - - - - - - - - - - - - - - - - - - - - - -"
      result.append(line(now.time, text, day))
    }
    return result.reversed()
  }

  private func line(_ time: OrgTimestamp.Time, _ text: String, _ day: OrgDay) -> OrgAgendaRow {
    var row = OrgAgendaRow(.grid, heading: text, day: day)
    (row.time, row.shownTime) = (time, time)
    row.setDuration(settings)
    return row
  }
}
