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
    days { stamp in
      let isOver = isDone && stamp.repeater == nil
      return (stamp.date.number - (stamp.leadDays ?? 0), isOver ? stamp.date.number : OrgDaySpan.forever)
    }
  }

  /// The days other than today on which the agenda can show the entry, without its log; nil if it never does. Only today has
  /// late tasks and the deadlines to come.
  var fixedDays: OrgDaySpan? {
    days { ($0.date.number, $0.repeater == nil ? $0.date.number : OrgDaySpan.forever) }
  }

  /// Returns the days of the entry; `planned` returns those of a date of the planning line.
  private func days(_ planned: (OrgTimestamp) -> (Int, Int)) -> OrgDaySpan? {
    let forever = OrgDaySpan.forever
    if !expressions.isEmpty || isHabit { return OrgDaySpan([(-forever, forever)]) }
    var spans = ranges.map { ($0.first.date.number, $0.last.date.number) }
    spans += timestamps.map { ($0.date.number, $0.repeater == nil ? $0.date.number : forever) }
    for date in [scheduled, deadline].compactMap(\.self) {
      guard let stamp = date.timestamp else { return OrgDaySpan([(-forever, forever)]) }
      spans.append(planned(stamp))
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
    return OrgDaySpan([(first, last)]).map { ($0, settings.showsLog) }
  }
}

extension OrgAgendaSettings {
  /// True if the agenda shows dates that are not planned: the log, or inactive timestamps.
  var showsLog: Bool { logMode != nil || isOn("org-agenda-include-inactive-timestamps") }
}

/// The items of an agenda with the days on which they can be shown, so that most items are skipped on most days.
struct AgendaItems {
  private let files: [[OrgItem]]
  private let days: [[OrgDaySpan?]]?
  private let today: OrgDay

  /// - Parameter isSelective: false to return all items for each day, as for a single day or an agenda with its log.
  init(_ files: [[OrgItem]], today: OrgDay, isSelective: Bool) {
    (self.files, self.today) = (files, today)
    days = isSelective ? files.map { $0.map(\.fixedDays) } : nil
  }

  /// Returns the items by file that a day can show, and perhaps others.
  func items(on day: OrgDay) -> [[OrgItem]] {
    guard day != today, let days else { return files }
    return zip(files, days).map { items, days in
      items.indices.filter { days[$0].map { $0.first <= day.number && day.number <= $0.last } ?? false }.map {
        items[$0]
      }
    }
  }
}
