/// Plain timestamps, ranges, diary expressions and the log on the agenda of a day.
extension DayAgenda {
  mutating func addTimestamps(of item: OrgItem) {
    let showsInactive = settings.isOn("org-agenda-include-inactive-timestamps")
    guard !item.dates.isEmpty || !item.expressions.isEmpty else { return }
    let stamps = item.dates.filter { $0.last == nil && ($0.first.isActive || showsInactive) }.map(\.first)
    let expressions = item.expressions.filter(\.isTimestamp)
    guard !stamps.isEmpty || !expressions.isEmpty else { return }
    if item.isDone, settings.isOn("org-agenda-skip-timestamp-if-done") { return }
    let isOnce = settings.isOn("org-agenda-skip-additional-timestamps-same-entry")
    for stamp in stamps where isShown(stamp, of: item) {
      var row = timestampRow(item, .stamp(stamp, text: stamp.description))
      row.timestampDate = stamp.isActive && stamp.repeatsInAgenda ? stamp.date : day
      if !stamp.isActive, !item.isHabit { row.extra = settings["org-agenda-inactive-leader"]?.text ?? "[" }
      append(row)
      if isOnce { return }
    }
    for line in expressions where settings.release == .org97 || line.text.isEmpty {
      guard let expression = DiaryExpression(line.expression), expression.entry("", on: day) != nil else { continue }
      var row = timestampRow(item, .text(line.text))
      row.timestampDate = day
      append(row)
      if isOnce { return }
    }
  }

  private func timestampRow(_ item: OrgItem, _ time: TimeSource) -> OrgAgendaRow {
    var row = row(.timestamp, item, time: time)
    row.heading = row.heading.withoutTimestamps
    row.date = day
    if let habit = OrgHabit(item) { row.urgency = habit.urgency(on: today) }
    return row
  }

  private func isShown(_ stamp: OrgTimestamp, of item: OrgItem) -> Bool {
    guard stamp.isActive, stamp.repeatsInAgenda else { return stamp.date == day }
    let prefersToday = day > today || settings.prefersLastRepeat(item.keyword)
    let past = stamp.closest(to: prefersToday ? today : day, .past)
    if past == day { return true }
    guard day > today, let base = settings.repeatBase(of: day, today: today) else { return false }
    return stamp.closest(to: base, .future) == day
  }

  mutating func addRanges(of item: OrgItem) {
    for range in item.ranges {
      let (first, last) = (range.first.date, range.last.date)
      guard first <= day, day <= last else { continue }
      if item.isDone, settings.isOn("org-agenda-skip-timestamp-if-done") { continue }
      var row = row(.block, item, extra: leader(of: range), time: time(of: range))
      row.date = day
      append(row)
    }
  }

  private func leader(of range: OrgItem.Range) -> String {
    let (first, last) = (range.first.date, range.last.date)
    guard first != last else { return "" }
    return "(\(first.distance(to: day) + 1)/\(first.distance(to: last) + 1)): "
  }

  /// The start time is that of the first day, the end time that of the last one.
  private func time(of range: OrgItem.Range) -> TimeSource {
    let (first, last) = (range.first, range.last)
    if first.date == last.date {
      return .times(start: first.time, end: first.time == nil ? nil : first.endTime ?? last.time)
    }
    if first.time == last.time || day == first.date { return .times(start: first.time, end: first.endTime) }
    return day == last.date ? .times(start: last.time, end: last.endTime) : .none
  }

  mutating func addExpressions(of item: OrgItem) {
    for line in item.expressions where !line.isTimestamp {
      guard let expression = DiaryExpression(line.expression) else {
        if isToday { append(expressionRow(item, line, "needs Emacs: \(line.expression)")) }
        continue
      }
      for text in expression.entry(line.text, on: day)?.parts(between: "; ") ?? [] {
        append(expressionRow(item, line, text.trimmedBlanks.isEmpty ? "SEXP entry returned empty string" : text))
      }
    }
  }

  private func expressionRow(_ item: OrgItem, _ line: OrgDiaryLine, _ text: String) -> OrgAgendaRow {
    var row = row(.sexp, item.with { ($0.keyword, $0.priority, $0.path) = (nil, nil, [text]) })
    (row.item, row.line) = (item, item.line + line.offset)
    (row.date, row.urgency) = (day, nil)
    return row
  }

  /// Adds the closing date, clocks and state changes of this day.
  mutating func addLog(of item: OrgItem, _ kinds: Set<String>) {
    if kinds.contains("closed"), let closed = item.closed, closed.date == day {
      append(logRow(.closed, item, "Closed:    ", closed.time, nil, note: nil))
    }
    for entry in item.log where entry.time.date == day {
      switch entry.kind {
      case .clock(let end, let duration):
        guard kinds.contains("clock") else { continue }
        let clocked = end == nil ? "-" : duration ?? "-"
        append(logRow(.clock, item, "Clocked:   (\(clocked))", entry.time.time, end?.time, note: entry.note))
      case .state(let state, _):
        guard kinds.contains("state") else { continue }
        append(logRow(.state, item, "State:     (\(state))", entry.time.time, nil, note: entry.note))
      }
    }
  }

  private func logRow(
    _ kind: OrgAgendaRow.Kind, _ item: OrgItem, _ extra: String, _ start: OrgTimestamp.Time?,
    _ end: OrgTimestamp.Time?, note: String?
  ) -> OrgAgendaRow {
    var row = row(kind, item, extra: extra, time: start == nil ? .none : .times(start: start, end: end))
    (row.date, row.urgency) = (day, 100_000)
    if let note, settings.isOn("org-agenda-log-mode-add-notes", true) { row.heading += " - \(note)" }
    return row
  }
}

extension String {
  /// The text without active timestamps, because the time is shown in front of it.
  var withoutTimestamps: String {
    var (result, rest) = ("", self[...])
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let stamp = rest[open...close]
      result += rest[..<open]
      if OrgTimestamp(String(stamp)) == nil { result += stamp }
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// The parts between separators.
  func parts(between separator: String) -> [String] {
    var (parts, rest) = ([String](), self[...])
    while let end = rest.range(behind: separator) {
      parts.append(String(rest[..<rest.index(end, offsetBy: -separator.count)]))
      rest = rest[end...]
    }
    return parts + [String(rest)]
  }
}
