/// The rows of one file on one day, in the order in which Org collects them. Pure.
struct DayAgenda {
  let day: OrgDay
  let today: OrgDay
  let settings: OrgAgendaSettings
  private(set) var rows: [OrgAgendaRow] = []

  init(_ day: OrgDay, today: OrgDay, _ settings: OrgAgendaSettings) {
    (self.day, self.today, self.settings) = (day, today, settings)
  }

  var isToday: Bool { day == today }

  /// Adds the rows of the items of one file.
  mutating func add(_ items: [OrgItem]) {
    let logMode = settings.logMode
    if let logMode { for item in items { addLog(of: item, logMode.kinds) } }
    guard !(logMode?.isOnly ?? false) else { return }
    var withDeadline: Set<Int> = []
    for type in settings.entryTypes {
      switch type {
      case ":deadline", ":deadline*":
        for item in items where addDeadline(of: item, withTime: type.last == "*") { withDeadline.insert(item.line) }
      case ":scheduled", ":scheduled*":
        for item in items {
          addScheduled(of: item, deadlineIsShown: withDeadline.contains(item.line), withTime: type.last == "*")
        }
      case ":timestamp":
        for item in items { addRanges(of: item) }
        for item in items { addTimestamps(of: item) }
      case ":sexp": for item in items { addExpressions(of: item) }
      case ":todo": if isToday { rows += TodoList(settings, today: today).rows(items) }
      default: break
      }
    }
  }

  mutating func append(_ row: OrgAgendaRow) { rows.append(row) }

  /// Creates a row of an item with the time that `stamp`, or otherwise the headline, has.
  func row(
    _ kind: OrgAgendaRow.Kind, _ item: OrgItem, extra: String = "", time: TimeSource = .headline
  ) -> OrgAgendaRow {
    var row = OrgAgendaRow(kind, item, settings, time: time)
    (row.day, row.extra) = (day, extra)
    row.urgency = item.importance
    return row
  }
}

/// Where the time of a row is found.
enum TimeSource {
  /// Nowhere: the row is only a reminder.
  case none
  /// In the headline.
  case headline
  /// In a timestamp, otherwise in the headline. Its text is removed from the headline.
  case stamp(OrgTimestamp, text: String)
  /// In two timestamps.
  case times(start: OrgTimestamp.Time?, end: OrgTimestamp.Time?)
  /// In a text behind an expression, otherwise in the headline.
  case text(String)
}

extension OrgItem {
  /// Org's number for the priority: the first cookie anywhere in the headline counts.
  var importance: Int {
    if let priority { return priorities.importance(of: priority) }
    guard title.utf8.contains(UInt8(ascii: "[")) else { return priorities.importance(of: nil) }
    let cookie = title.range(behind: "[#").flatMap { start -> String? in
      let rest = title[start...].prefix { $0 != "]" }
      let isPriority =
        rest.endIndex < title.endIndex && !rest.isEmpty && rest.allSatisfy { $0.isUppercase || $0.isNumber }
      return isPriority ? String(rest) : nil
    }
    return priorities.importance(of: cookie)
  }
}

extension OrgAgendaRow {
  /// Creates the row of an item: its headline without the times that are shown in front of it, and its tags.
  init(_ kind: Kind, _ item: OrgItem, _ settings: OrgAgendaSettings, time source: TimeSource) {
    let headline = item.headline
    self.init(kind, heading: headline)
    self.item = item
    line = item.line
    let inherited = item.uniqueInheritedTags
    (tags, inheritedTagCount) = (inherited + item.tags, inherited.count)
    let searched = settings.isOn("org-agenda-search-headline-for-time", true) ? headline : ""
    switch source {
    case .none: return
    case .headline: take(TimeOfDay(in: searched), settings)
    case .text(let text): take(TimeOfDay(in: text + searched), settings)
    case .stamp(let stamp, let text):
      guard let start = stamp.time else {
        take(TimeOfDay(in: searched), settings)
        return
      }
      (time, shownTime, endTime) = (start, start, stamp.endTime)
      remove(text)
    case .times(let start, let end):
      guard let start else {
        take(TimeOfDay(in: searched), settings)
        return
      }
      (time, shownTime, endTime) = (start, start, end)
    }
    setDuration(settings)
  }

  private mutating func take(_ found: TimeOfDay?, _ settings: OrgAgendaSettings) {
    guard let found else { return }
    (time, shownTime, endTime) = (found.start, found.start, found.end)
    // A timestamp in the headline is shown instead, but the first time decides the order.
    if let stamp = heading.firstTimedStamp {
      (shownTime, endTime) = (stamp.time, stamp.endTime)
      remove(stamp.description)
    } else {
      remove(found.text)
    }
    setDuration(settings)
  }

  /// Computes the duration; without an end it is the usual one, if that is set.
  mutating func setDuration(_ settings: OrgAgendaSettings) {
    guard let time = shownTime else { return }
    let usual = settings.value("org-agenda-default-appointment-duration").number
    if endTime == nil, let usual {
      let minutes = time.hour * 60 + time.minute + usual
      endTime = OrgTimestamp.Time(hour: minutes / 60, minute: minutes % 60)
    }
    duration = endTime.map { $0.hour * 60 + $0.minute - time.hour * 60 - time.minute }
  }

  /// Removes a time from the heading, because it is shown in front of it.
  private mutating func remove(_ text: String) {
    // Lists do not show times.
    guard kind != .todo, kind != .search else { return }
    guard let end = heading.range(behind: text) else { return }
    let start = heading.index(end, offsetBy: -text.count)
    let behind = heading[end...].drop { $0 == " " }
    guard behind.first != "]" else { return }
    heading = String(heading[..<start] + behind)
  }
}

extension String {
  /// The first active timestamp with a time.
  fileprivate var firstTimedStamp: OrgTimestamp? {
    guard contains("<") else { return nil }
    var rest = Array(utf8)[...]
    while let bytes = rest.firstTimestamp(isActive: true) {
      if let stamp = OrgTimestamp(bytes), stamp.time != nil { return stamp }
      rest = rest[bytes.endIndex...]
    }
    return nil
  }
}
