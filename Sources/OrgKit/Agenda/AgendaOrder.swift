/// The order of rows by a list of criteria such as `time-up` and `priority-down` (org-agenda-sorting-strategy).
struct AgendaOrder {
  private let criteria: [String]
  private let settings: OrgAgendaSettings

  init(_ criteria: [String], _ settings: OrgAgendaSettings) { (self.criteria, self.settings) = (criteria, settings) }

  /// Returns the rows in order; equal ones keep theirs.
  func sorted(_ rows: [OrgAgendaRow]) -> [OrgAgendaRow] {
    rows.enumerated().sorted { left, right in
      let order = compare(left.element, right.element)
      return order == 0 ? left.offset < right.offset : order < 0
    }.map(\.element)
  }

  /// Negative if the first row comes first.
  private func compare(_ left: OrgAgendaRow, _ right: OrgAgendaRow) -> Int {
    for criterion in criteria {
      if criterion == "category-keep" {
        if left.category != right.category { return 0 }
        continue
      }
      let parts = criterion.split(separator: "-")
      guard let direction = parts.last else { continue }
      let order = compare(left, right, by: parts.dropLast().joined(separator: "-"))
      if order != 0 { return direction == "down" ? -order : order }
    }
    return 0
  }

  private func compare(_ left: OrgAgendaRow, _ right: OrgAgendaRow, by criterion: String) -> Int {
    switch criterion {
    case "time": Self.compare(time(of: left), time(of: right))
    case "priority", "urgency": Self.compare(left.urgency ?? 0, right.urgency ?? 0)
    case "habit": Self.compare(left.habit == nil ? 1 : 0, right.habit == nil ? 1 : 0)
    case "category": Self.compare(left.category, right.category)
    case "alpha": Self.compare(alphabetic(left), alphabetic(right))
    case "tag": compare(left.tags.last, right.tags.last)
    case "todo-state": Self.compare(state(of: left), state(of: right))
    case "effort": Self.compare(effort(of: left), effort(of: right))
    case "timestamp": Self.compare(date(of: left, ""), date(of: right, ""))
    case "scheduled", "deadline": Self.compare(date(of: left, criterion), date(of: right, criterion))
    case "ts": Self.compare(date(of: left, "timestamp"), date(of: right, "timestamp"))
    default: 0
    }
  }

  private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : right < left ? 1 : 0
  }

  private func compare(_ left: String?, _ right: String?) -> Int {
    switch (left, right) {
    case (.none, .none): 0
    case (.none, .some): 1
    case (.some, .none): -1
    case (.some(let left), .some(let right)): Self.compare(left, right)
    }
  }

  private func time(of row: OrgAgendaRow) -> Int {
    row.time.map { $0.hour * 100 + $0.minute } ?? (settings.isOn("org-agenda-sort-notime-is-late", true) ? 9901 : -1)
  }

  private func alphabetic(_ row: OrgAgendaRow) -> String { (row.item?.title ?? row.heading).lowercased() }

  /// Done tasks come first, then the states in the order of their declaration as far as an item knows it.
  private func state(of row: OrgAgendaRow) -> Int { row.item?.isDone ?? false ? -1 : row.todo == nil ? 1 : 0 }

  private func effort(of row: OrgAgendaRow) -> Int {
    row.item?.effort
      ?? (settings.isOn("org-agenda-sort-noeffort-is-high", true) ? 32_767 : -1)
  }

  private func date(of row: OrgAgendaRow, _ kind: String) -> Int {
    let usual = settings.isOn("org-agenda-sort-notime-is-late", true) ? 99_999_999 : -1
    return kind.isEmpty || row.kind.rawValue.hasSuffix(kind) ? row.timestampDate?.number ?? usual : usual
  }
}
