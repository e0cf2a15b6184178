/// The entries of files as an iCalendar document (RFC 5545), with the conventions of ox-icalendar.
public struct CalendarExport {
  private let settings: OrgSettings
  private let now: OrgMoment
  private let zone: OrgZone
  private let newID: (OrgItem) -> String

  /// - Parameters:
  ///   - settings: Org's variables `org-icalendar-…`.
  ///   - now: the wall time, for `DTSTAMP`.
  ///   - zone: the zone of all times.
  ///   - newID: returns the identifier of an entry without an ID.
  public init(_ settings: OrgSettings, now: OrgMoment, zone: OrgZone, newID: @escaping (OrgItem) -> String) {
    (self.settings, self.now, self.zone, self.newID) = (settings, now, zone, newID)
  }

  /// Returns a calendar with lines that end as RFC 5545 requires.
  ///
  /// - Parameters:
  ///   - items: the entries.
  ///   - name: the name of the calendar.
  ///   - owner: the user's name.
  ///   - description: the description of the calendar.
  ///   - text: returns the text of an entry below its meta data.
  public func calendar(
    _ items: [OrgItem], name: String, owner: String, description: String, text: (OrgItem) -> String
  ) -> String {
    let head = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "X-WR-CALNAME:\(name.escaped)",
      "PRODID:-//\(owner.escaped)//Emacs with Org mode//EN",
      "X-WR-TIMEZONE:\(timeZone.escaped)", "X-WR-CALDESC:\(description.escaped)", "CALSCALE:GREGORIAN",
    ]
    let lines = head + components(items, text: text) + ["END:VCALENDAR"]
    return lines.map { $0 + "\r\n" }.joined()
  }

  /// Returns the folded lines of the events and tasks of entries.
  public func components(_ items: [OrgItem], text: (OrgItem) -> String) -> [String] {
    let shown = items.filter { !$0.isComment && !$0.isBelowArchived }
    let ids = identifiers(of: shown)
    return zip(shown, ids).flatMap { item, id in lines(of: item, item.isArchived ? "" : text(item), id) }
  }

  private var timeZone: String { settings["org-icalendar-timezone"]?.text ?? zone.name }

  /// Returns the identifiers; new ones are made for children before their parents, as Org's export does.
  private func identifiers(of items: [OrgItem]) -> [String] {
    var (ids, open) = (items.map(\.id), [Int]())
    for (index, item) in items.enumerated() {
      while let last = open.last, items[last].level >= item.level || items[last].file != item.file {
        open.removeLast()
        ids[last] = ids[last] ?? newID(items[last])
      }
      open.append(index)
    }
    for index in open.reversed() { ids[index] = ids[index] ?? newID(items[index]) }
    return ids.compactMap(\.self)
  }

  private func lines(of item: OrgItem, _ text: String, _ id: String) -> [String] {
    let entry = CalendarFields(item, text, id: id, settings)
    var events: [[String]] = []
    if let stamp = item.deadline?.timestamp, uses("deadline", ["event-if-not-todo", "todo-due"], for: item) {
      events.append(event(entry, stamp, nil, "DL-\(entry.id)", "DL: \(entry.summary)"))
    }
    if let stamp = item.scheduled?.timestamp, uses("scheduled", ["todo-start"], for: item) {
      events.append(event(entry, stamp, nil, "SC-\(entry.id)", "S: \(entry.summary)"))
    }
    for (number, stamp) in plainStamps(of: item).enumerated() {
      events.append(event(entry, stamp.first, stamp.last, "TS\(number + 1)-\(entry.id)", entry.summary))
    }
    if let task = task(entry, item) { events.append(task) }
    return events.flatMap { $0.flatMap(\.folded) }
  }

  private func plainStamps(of item: OrgItem) -> [(first: OrgTimestamp, last: OrgTimestamp?)] {
    let which = settings["org-icalendar-with-timestamps"] ?? .symbol("active")
    // An archived entry is exported as its headline.
    let dates = item.isArchived ? item.titleDates : item.dates
    return dates.filter { date in
      which == .yes || which == .symbol(date.first.isActive ? "active" : "inactive")
    }.map { ($0.first, $0.last) }
  }

  /// Returns true if a date of an entry is an event (org-icalendar-use-deadline, org-icalendar-use-scheduled).
  private func uses(_ kind: String, _ usual: [String], for item: OrgItem) -> Bool {
    let contexts = settings["org-icalendar-use-\(kind)"]?.elements?.compactMap(\.symbol) ?? usual
    if item.keyword == nil { return contexts.contains("event-if-not-todo") }
    return contexts.contains("event-if-todo") || !item.isDone && contexts.contains("event-if-todo-not-done")
  }

  private func event(
    _ entry: CalendarFields, _ first: OrgTimestamp, _ last: OrgTimestamp?, _ id: String, _ summary: String
  ) -> [String] {
    var lines = [
      "BEGIN:VEVENT", stampLine, "UID:\(id)", time("DTSTART", first, nil, entry),
      time("DTEND", first, last, entry, isEnd: true),
    ]
    if let step = first.repeaterStep {
      let units: [Character: String] = ["h": "HOURLY", "d": "DAILY", "w": "WEEKLY", "m": "MONTHLY", "y": "YEARLY"]
      lines.append("RRULE:FREQ=\(units[step.unit] ?? "DAILY");INTERVAL=\(step.count)")
    }
    lines += ["SUMMARY:\(summary)"] + entry.commonLines
    let warning = entry.warning > 0 ? entry.warning : settings.number("org-icalendar-alarm-time", default: 0)
    if warning > 0, first.time != nil {
      lines += [
        "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(summary)", "TRIGGER:-P0DT0H\(warning)M0S", "END:VALARM",
      ]
    }
    return lines + ["END:VEVENT"]
  }

  private func task(_ entry: CalendarFields, _ item: OrgItem) -> [String]? {
    guard item.keyword != nil else { return nil }
    switch settings.value("org-icalendar-include-todo") {
    case .none: return nil
    case .symbol("all"): break
    default: guard !item.isDone else { return nil }
    }
    let usesStart = settings["org-icalendar-use-scheduled"]?.elements?.contains(.symbol("todo-start")) ?? true
    let usesDue = settings["org-icalendar-use-deadline"]?.elements?.contains(.symbol("todo-due")) ?? true
    let start = usesStart ? item.scheduled?.timestamp : nil
    var lines = ["BEGIN:VTODO", "UID:TODO-\(entry.id)", stampLine]
    lines.append(time("DTSTART", start ?? now.timestamp(isActive: true), nil, entry))
    if usesDue, let due = item.deadline?.timestamp { lines.append(time("DUE", due, nil, entry)) }
    lines += ["SUMMARY:\(entry.summary)"] + entry.commonLines
    lines += ["SEQUENCE:1", "PRIORITY:\(priority(of: item))", "STATUS:\(item.isDone ? "COMPLETED" : "NEEDS-ACTION")"]
    return lines + ["END:VTODO"]
  }

  /// The priority from 1, the highest, to 9.
  private func priority(of item: OrgItem) -> Int {
    let values = item.priorities
    let value = item.priority.map { OrgPriorities.value(of: $0) } ?? values.usual
    let range = max(values.lowest - values.highest, 1)
    return 9 - (8 * (values.lowest - value) + range - 1) / range
  }

  private var stampLine: String {
    let seconds = zone.seconds(of: now)
    let utc = OrgMoment(day: OrgDay(number: seconds.quotient(by: 86_400)), minute: seconds.remainder(by: 86_400) / 60)
    return "DTSTAMP:\(Self.digits(utc))Z"
  }

  private func time(
    _ key: String, _ first: OrgTimestamp, _ last: OrgTimestamp?, _ entry: CalendarFields, isEnd: Bool = false
  ) -> String {
    guard first.time != nil else {
      let day = (isEnd ? (last ?? first).date.advanced(by: 1) : first.date)
      return "\(key);VALUE=DATE:\(Self.digits(day))"
    }
    let moment = isEnd ? end(first, last) : OrgMoment(first)
    switch entry.timeZone {
    case "UTC": return "\(key):\(Self.digits(utc(moment)))Z"
    case .some(let name): return "\(key);TZID=\(name):\(Self.digits(moment))"
    case .none: break
    }
    // The format is that of org-icalendar-date-time-format: local time, UTC with a final Z, or with the zone.
    let format = settings.text("org-icalendar-date-time-format", default: ":%Y%m%dT%H%M%S")
    if format.hasSuffix("Z") { return "\(key):\(Self.digits(utc(moment)))Z" }
    return format.hasPrefix(";TZID")
      ? "\(key);TZID=\(timeZone):\(Self.digits(moment))" : "\(key):\(Self.digits(moment))"
  }

  /// Without an end the event takes two hours, or the usual duration of appointments.
  private func end(_ first: OrgTimestamp, _ last: OrgTimestamp?) -> OrgMoment {
    var stamp = last ?? first
    if let endTime = first.endTime, last == nil { stamp.time = endTime }
    if last == nil, first.endTime == nil || first.endTime == first.time {
      let usual = settings.value("org-agenda-default-appointment-duration").number ?? 120
      return OrgMoment(first).advanced(byMinutes: usual)
    }
    return OrgMoment(stamp)
  }

  private func utc(_ moment: OrgMoment) -> OrgMoment {
    let minutes = zone.seconds(of: moment).quotient(by: 60)
    return OrgMoment(day: OrgDay(number: 0), minute: minutes)
  }

  private static func digits(_ day: OrgDay) -> String { day.iso.filter { $0 != "-" } }

  private static func digits(_ moment: OrgMoment) -> String {
    digits(moment.day) + "T" + moment.time.description.filter { $0 != ":" } + "00"
  }
}

/// The fields that all components of an entry share.
private struct CalendarFields {
  let id: String
  let summary: String
  let commonLines: [String]
  /// The minutes before an event at which it is announced.
  let warning: Int
  /// The zone of the entry; nil for the usual one.
  let timeZone: String?

  init(_ item: OrgItem, _ text: String, id: String, _ settings: OrgSettings) {
    self.id = id
    summary = (item[property: "SUMMARY"] ?? item.exportedTitle).escaped
    warning = item[property: "APPT_WARNTIME"].flatMap { Int(written: $0) } ?? 0
    timeZone = item[property: "TIMEZONE"]
    var lines: [String] = []
    if let location = item[property: "LOCATION"], !location.isEmpty { lines.append("LOCATION:\(location.escaped)") }
    if let kind = item[property: "CLASS"], !kind.isEmpty { lines.append("CLASS:\(kind.escaped)") }
    let description = item[property: "DESCRIPTION"] ?? Self.body(OrgShare.plainText(text), settings)
    if !description.isEmpty { lines.append("DESCRIPTION:\(description.escaped)") }
    commonLines = lines + ["CATEGORIES:\(Self.categories(of: item, settings))"]
  }

  private static func body(_ text: String, _ settings: OrgSettings) -> String {
    guard settings.isOn("org-icalendar-include-body", default: true) else { return "" }
    let trimmed = String(text.trimmedBlanks)
    return settings.value("org-icalendar-include-body").number.map { String(trimmed.prefix($0)) } ?? trimmed
  }

  private static func categories(of item: OrgItem, _ settings: OrgSettings) -> String {
    let kinds = settings["org-icalendar-categories"]?.elements?.compactMap(\.symbol) ?? ["local-tags", "category"]
    var words: [String] = []
    for kind in kinds {
      switch kind {
      case "category": words.append(item.category)
      case "todo-state": words += item.keyword.map { [$0] } ?? []
      case "local-tags": words += item.tags
      case "all-tags": words += item.allTags
      default: break
      }
    }
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }.joined(separator: ",")
  }
}

extension OrgItem {
  /// The dates in the headline.
  fileprivate var titleDates: [Date] { dates.filter { title.contains($0.first.description) } }

  /// True if a parent is archived.
  fileprivate var isBelowArchived: Bool {
    isArchived && (!tags.contains("ARCHIVE") || inheritedTags.contains("ARCHIVE"))
  }

  /// The title as text: timestamps with both ends in full, as Org exports them.
  fileprivate var exportedTitle: String {
    var (result, rest) = ("", title[...])
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let text = String(rest[open...close])
      result += rest[..<open]
      result += OrgTimestamp(text)?.exported ?? text
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}

extension OrgTimestamp {
  /// A range of times becomes two timestamps with a dash.
  fileprivate var exported: String {
    guard let endTime else { return description }
    var (first, last) = (self, self)
    first.endTime = nil
    (last.time, last.endTime) = (endTime, nil)
    return "\(first)–\(last)"
  }
}

extension String {
  /// The text with the escapes of RFC 5545.
  fileprivate var escaped: String {
    var result = ""
    for character in self {
      switch character {
      case "\\", ",", ";": result += "\\\(character)"
      case "\n":
        while result.last == " " || result.last == "\t" { result.removeLast() }
        result += "\\n"
      default: result.append(character)
      }
    }
    return result
  }

  /// The line in parts of at most 75 octets; parts after the first begin with a space.
  fileprivate var folded: [String] {
    var (lines, line, size) = ([String](), "", 0)
    for character in self {
      let length = String(character).utf8.count
      if size + length > 75 {
        lines.append(line)
        (line, size) = (" ", 1)
      }
      line.append(character)
      size += length
    }
    return lines + [line]
  }
}
