/// The list of all tasks, and the rules by which dates hide tasks from it (org-agenda-get-todos).
struct TodoList {
  private let settings: OrgAgendaSettings
  private let today: OrgDay
  /// The states to show; nil for all that are not done.
  private let states: [String]?

  /// - Parameter states: `NEXT|WAIT`, `*` for all states, or nil for all that are not done.
  init(_ settings: OrgAgendaSettings, today: OrgDay, states: String? = nil) {
    (self.settings, self.today) = (settings, today)
    self.states = states.map { $0.split(separator: "|").map(String.init) }
  }

  /// Returns the rows of the items of one file.
  func rows(_ items: [OrgItem]) -> [OrgAgendaRow] {
    let showsSublevels = settings.isOn("org-agenda-todo-list-sublevels", true)
    var rows: [OrgAgendaRow] = []
    var hiddenBelow: Int?
    for item in items {
      if let level = hiddenBelow {
        if item.level > level { continue }
        hiddenBelow = nil
      }
      guard isShown(item) else { continue }
      if !showsSublevels { hiddenBelow = item.level }
      guard !isIgnored(item) else { continue }
      var row = OrgAgendaRow(.todo, item, settings, time: .headline)
      row.urgency = item.importance + 1
      rows.append(row)
    }
    return rows
  }

  private func isShown(_ item: OrgItem) -> Bool {
    guard let keyword = item.keyword else { return false }
    guard let states else { return !item.isDone }
    return states == ["*"] || states.contains(keyword)
  }

  /// Returns true if a date hides the task (org-agenda-todo-ignore-…).
  func isIgnored(_ item: OrgItem) -> Bool {
    let deadline = item.deadline?.timestamp
    let scheduled = item.scheduled?.timestamp
    let plain = item.timestamps.first ?? item.ranges.first?.first
    if settings.isOn("org-agenda-todo-ignore-with-date"), deadline != nil || scheduled != nil || plain != nil {
      return true
    }
    return ignores("scheduled", scheduled) || ignoresDeadline(deadline) || ignores("timestamp", plain)
  }

  private func ignores(_ kind: String, _ stamp: OrgTimestamp?) -> Bool {
    let setting = settings.value("org-agenda-todo-ignore-\(kind)")
    guard setting.isTrue, let days = stamp.map({ today.distance(to: $0.date) }) else { return false }
    return Self.ignores(setting, days) ?? true
  }

  private func ignoresDeadline(_ stamp: OrgTimestamp?) -> Bool {
    let setting = settings.value("org-agenda-todo-ignore-deadlines")
    guard setting.isTrue, let stamp else { return false }
    let days = today.distance(to: stamp.date)
    let isClose = days <= stamp.leadDays(usual: settings.warningDays, isDelay: false)
    switch setting {
    case .symbol("all"): return true
    case .symbol("far"): return !isClose
    default: return Self.ignores(setting, days) ?? isClose
    }
  }

  /// Nil if the setting is another value than `future`, `past` or a number.
  private static func ignores(_ setting: OrgValue, _ days: Int) -> Bool? {
    switch setting {
    case .symbol("future"): days > 0
    case .symbol("past"): days <= 0
    case .number(let number): number >= 0 ? days >= number : days <= number
    default: nil
    }
  }
}
