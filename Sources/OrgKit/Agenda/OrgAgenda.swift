/// Agenda views over the items of a set of files. Pure: everything that a view depends on is passed in.
public struct OrgAgenda {
  /// The items by file, in the order of the files.
  let files: [[OrgItem]]
  let now: OrgMoment
  let settings: OrgAgendaSettings
  let groups: OrgTagGroups
  /// Returns the text of an item's entry, with its headline and without its children.
  let text: (OrgItem) -> String
  /// The states of the files, for the line below the list of tasks.
  let states: [String]
  /// True for a block of a view of several blocks, which has no hints.
  var isBlock = false

  /// An agenda over items of files.
  ///
  /// - Parameters:
  ///   - files: the items, each file's in document order.
  ///   - now: the wall time.
  ///   - settings: Org's variables.
  ///   - groups: the tag groups of the files.
  ///   - states: the task states of the files, in order of declaration.
  ///   - release: the version of Org whose rows are shown.
  ///   - text: returns the text of an entry, which some views search.
  public init(
    _ files: [[OrgItem]], now: OrgMoment, settings: OrgSettings = OrgSettings(), groups: OrgTagGroups = OrgTagGroups(),
    states: [String] = [], release: OrgRelease = .org97, text: @escaping (OrgItem) -> String = { $0.headline }
  ) {
    self.files = files
    self.now = now
    self.settings = OrgAgendaSettings(settings, release: release)
    self.groups = groups
    self.states = states
    self.text = text
  }

  private init(_ other: OrgAgenda, settings: OrgAgendaSettings) {
    (files, now, groups, text, states) = (other.files, other.now, other.groups, other.text, other.states)
    self.settings = settings
    isBlock = true
  }

  /// Returns the agenda with other settings, as a block of a view.
  func block(_ settings: [String: OrgValue]) -> OrgAgenda { OrgAgenda(self, settings: self.settings.with(settings)) }

  /// Returns the files without the entries that no view shows.
  func shownFiles() -> [[OrgItem]] {
    let hidesArchived = settings.isOn("org-agenda-skip-archived-trees", true)
    let hidesComments = settings.isOn("org-agenda-skip-comment-trees", true)
    return files.map { items in
      items.filter { !(hidesArchived && $0.isArchived) && !(hidesComments && $0.isComment) }
    }
  }

  func sorted(_ rows: [OrgAgendaRow], _ view: String) -> [OrgAgendaRow] {
    let rows = AgendaOrder(settings.order(of: view), settings).sorted(rows)
    return limited(
      limited(limited(rows, "todos", view) { $0.todo != nil }, "tags", view) { !$0.tags.isEmpty }, "entries", view
    ) {
      $0.item != nil
    }
  }

  /// Keeps only the first rows that count (org-agenda-max-entries and the like); a negative limit keeps all that do not count.
  private func limited(
    _ rows: [OrgAgendaRow], _ kind: String, _ view: String, _ counts: (OrgAgendaRow) -> Bool
  ) -> [OrgAgendaRow] {
    let value = settings.value("org-agenda-max-\(kind)")
    let entry = value.elements?.first { $0.pair?.first.symbol == view }?.pair?.rest
    guard let limit = value.number ?? entry?.number else { return rows }
    var count = 0
    return rows.filter { row in
      guard counts(row) else { return limit < 0 }
      count += 1
      return count <= abs(limit)
    }
  }

  func header(_ usual: String) -> OrgAgendaRow {
    OrgAgendaRow(.header, heading: settings["org-agenda-overriding-header"]?.text ?? usual)
  }
}

/// The number of days that an agenda shows.
public enum OrgAgendaSpan: Sendable, Hashable {
  case day, week, fortnight, month, year
  case days(Int)

  /// Parses `day`, `week`, `fortnight`, `month`, `year` or a number of days.
  public init?(_ value: OrgValue) {
    switch value {
    case .symbol("day"), .text("day"), .number(1): self = .day
    case .symbol("week"), .text("week"), .number(7): self = .week
    case .symbol("fortnight"), .text("fortnight"), .number(14): self = .fortnight
    case .symbol("month"), .text("month"): self = .month
    case .symbol("year"), .text("year"): self = .year
    case .number(let count) where count > 0: self = .days(count)
    default: return nil
    }
  }

  /// The number of days from `start` on.
  public func count(from start: OrgDay) -> Int {
    let (year, month, day) = start.date
    return switch self {
    case .day: 1
    case .week: 7
    case .fortnight: 14
    case .month: OrgDay(year: year, month: month, day: 1).distance(to: OrgDay(year: year, month: month + 1, day: 1))
    case .year: start.distance(to: OrgDay(year: year + 1, month: month, day: day))
    case .days(let count): count
    }
  }

  /// The name in the heading of the view.
  var title: String {
    switch self {
    case .day: "Day"
    case .week: "Week"
    case .fortnight: "Fortnight"
    case .month: "Month"
    case .year: "Year"
    case .days(let count): "\(count) days"
    }
  }
}
