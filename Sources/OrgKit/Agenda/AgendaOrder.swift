/// The order of rows by a list of criteria such as `time-up` and `priority-down` (org-agenda-sorting-strategy).
struct AgendaOrder {
  private let criteria: [String]
  private let settings: OrgAgendaSettings

  init(_ criteria: [String], _ settings: OrgAgendaSettings) { (self.criteria, self.settings) = (criteria, settings) }

  /// The numbers that one criterion compares, one for each row.
  private struct Column {
    var numbers: [Int]
    /// True if higher numbers come first.
    var isDescending = false
    /// True for `category-keep`: rows with different numbers are not compared by the criteria that follow.
    var endsComparison = false
  }

  /// Returns the rows in order; equal ones keep theirs.
  func sorted(_ rows: [OrgAgendaRow]) -> [OrgAgendaRow] {
    let columns = criteria.map { column($0, of: rows) }
    return rows.indices.sorted { left, right in
      for column in columns where column.numbers[left] != column.numbers[right] {
        if column.endsComparison { break }
        return (column.numbers[left] < column.numbers[right]) != column.isDescending
      }
      return left < right
    }.map { rows[$0] }
  }

  private func column(_ criterion: String, of rows: [OrgAgendaRow]) -> Column {
    if criterion == "category-keep" { return Column(numbers: Self.ranks(rows.map(\.category)), endsComparison: true) }
    let parts = criterion.split(separator: "-")
    return Column(
      numbers: numbers(of: rows, by: parts.dropLast().joined(separator: "-")), isDescending: parts.last == "down")
  }

  private func numbers(of rows: [OrgAgendaRow], by criterion: String) -> [Int] {
    switch criterion {
    case "time": rows.map(time)
    case "priority", "urgency": rows.map { $0.urgency ?? 0 }
    case "habit": rows.map { $0.habit == nil ? 1 : 0 }
    case "category": Self.ranks(rows.map(\.category))
    case "alpha": Self.ranks(rows.map { ($0.item?.title ?? $0.heading).lowercased() })
    case "tag": Self.ranks(rows.map(\.tags.last))
    case "todo-state": rows.map(state)
    case "effort": rows.map(effort)
    case "timestamp": rows.map { date(of: $0, "") }
    case "scheduled", "deadline": rows.map { date(of: $0, criterion) }
    case "ts": rows.map { date(of: $0, "timestamp") }
    default: rows.map { _ in 0 }
    }
  }

  /// Returns the place of each text in the order of all; none comes last.
  private static func ranks(_ texts: [String?]) -> [Int] {
    // Neighbours are often equal, because the rows of a file follow each other.
    let runs = texts.indices.filter { $0 == 0 || texts[$0] != texts[$0 - 1] }
    let order = Set(runs.compactMap { texts[$0] }).sorted()
    let ranks = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
    var numbers = [Int](repeating: 0, count: texts.count)
    for (start, end) in zip(runs, runs.dropFirst() + [texts.count]) {
      let rank = texts[start].flatMap { ranks[$0] } ?? order.count
      for place in start..<end { numbers[place] = rank }
    }
    return numbers
  }

  private func time(of row: OrgAgendaRow) -> Int {
    row.time.map { $0.hour * 100 + $0.minute } ?? (settings.isOn("org-agenda-sort-notime-is-late", true) ? 9901 : -1)
  }

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
