/// The first and the last day on which something can be shown, as numbers of days.
package struct OrgDaySpan: Sendable, Hashable {
  package var first: Int
  package var last: Int

  /// A day so far away that no agenda shows it.
  package static let forever = 1 << 40

  package init(first: Int, last: Int) { (self.first, self.last) = (first, last) }

  fileprivate init?(_ spans: [(Int, Int)]) {
    guard let first = spans.map(\.0).min(), let last = spans.map(\.1).max() else { return nil }
    (self.first, self.last) = (first, last)
  }
}

extension OrgItem {
  /// The days on which the agenda can show the entry, without the warning period of deadlines that have none of their own; nil if
  /// it never does. The agenda shows it on no other day.
  package var agendaDays: OrgDaySpan? {
    let forever = OrgDaySpan.forever
    if !expressions.isEmpty || isHabit { return OrgDaySpan([(-forever, forever)]) }
    var spans = ranges.map { ($0.first.date.number, $0.last.date.number) }
    spans += timestamps.map { ($0.date.number, $0.repeater == nil ? $0.date.number : forever) }
    for date in [scheduled, deadline].compactMap(\.self) {
      guard let stamp = date.timestamp else { return OrgDaySpan([(-forever, forever)]) }
      let isOver = isDone && stamp.repeater == nil
      spans.append((stamp.date.number - (stamp.leadDays ?? 0), isOver ? stamp.date.number : forever))
    }
    return OrgDaySpan(spans)
  }

  /// The days of the closing date, the log and inactive timestamps; nil without any.
  package var logDays: OrgDaySpan? {
    let stamps = (closed.map { [$0] } ?? []) + log.map(\.time) + inactiveTimestamps
    return OrgDaySpan(stamps.map { ($0.date.number, $0.date.number) })
  }
}

extension OrgAgenda {
  /// The days whose entries the agenda of some days needs; nil if it needs all entries.
  ///
  /// - Parameter settings: Org's variables.
  package static func candidateDays(
    from start: OrgDay, span: OrgAgendaSpan, settings: OrgSettings
  ) -> (days: OrgDaySpan, withLog: Bool)? {
    let settings = OrgAgendaSettings(settings)
    guard !settings.entryTypes.contains(":todo") else { return nil }
    let shortened = settings.value("org-agenda-skip-deadline-prewarning-if-scheduled").number ?? 0
    let lead = max(abs(settings.warningDays), abs(shortened))
    // A week begins up to six days before the day that was asked for.
    let first = start.number - 7
    let last = start.number + span.count(from: start) + 7 + lead
    let withLog = settings.logMode != nil || settings.isOn("org-agenda-include-inactive-timestamps")
    return OrgDaySpan([(first, last)]).map { ($0, withLog) }
  }
}
