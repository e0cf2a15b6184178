/// A version of Org, where versions show different rows.
public enum OrgRelease: Sendable, Hashable {
  /// Org 9.5, which ignores diary expressions in timestamps with a time.
  case org95
  /// Org 9.7.
  case org97
}

/// The variables of Org that agenda views use, with Org's names and defaults.
public struct OrgAgendaSettings: Sendable {
  private var values: OrgSettings
  /// The version of Org whose agenda is shown.
  let release: OrgRelease

  /// The settings of an agenda.
  public init(_ values: OrgSettings = OrgSettings(), release: OrgRelease = .org97) {
    (self.values, self.release) = (values, release)
  }

  /// Returns the settings with other values for some variables, as blocks of a view have them.
  public func with(_ others: [String: OrgValue]) -> OrgAgendaSettings {
    var copy = self
    for (name, value) in others { copy.values[name] = value }
    return copy
  }

  /// The value of a variable; nil if Org's default holds.
  subscript(name: String) -> OrgValue? { values[name] }

  /// Returns true if a variable is not `nil`.
  func isOn(_ name: String, _ usual: Bool = false) -> Bool { values.isOn(name, default: usual) }

  /// Returns the number in a variable.
  func number(_ name: String, _ usual: Int) -> Int { values.number(name, default: usual) }

  /// The value of a variable that holds `nil`, `t`, a symbol or a number.
  func value(_ name: String) -> OrgValue { values.value(name) }

  var warningDays: Int { number("org-deadline-warning-days", 14) }
  var delayDays: Int { number("org-scheduled-delay-days", 0) }
  var precedingHabitDays: Int { number("org-habit-preceding-days", 21) }
  var followingHabitDays: Int { number("org-habit-following-days", 7) }

  /// True if the date of a task in this state is its last occurrence (org-agenda-prefer-last-repeat).
  func prefersLastRepeat(_ keyword: String?) -> Bool {
    switch value("org-agenda-prefer-last-repeat") {
    case .yes: true
    case let value: keyword.map { value.elements?.contains(.text($0)) ?? false } ?? false
    }
  }

  /// The base from which future occurrences are searched; nil if they are not shown (org-agenda-show-future-repeats).
  func repeatBase(of day: OrgDay, today: OrgDay) -> OrgDay? {
    guard let value = self["org-agenda-show-future-repeats"] else { return day }
    if value == .none { return nil }
    return value == .symbol("next") ? today.advanced(by: 1) : day
  }

  /// The order of rows in a kind of view (org-agenda-sorting-strategy).
  func order(of view: String) -> [String] {
    let usual = [
      "agenda": ["habit-down", "time-up", "priority-down", "category-keep"],
      "todo": ["priority-down", "category-keep"], "tags": ["priority-down", "category-keep"],
      "search": ["category-keep"],
    ]
    guard let elements = self["org-agenda-sorting-strategy"]?.elements, !elements.isEmpty else {
      return usual[view] ?? []
    }
    if elements[0].symbol != nil { return elements.compactMap(\.symbol) }
    let chosen =
      elements.first { $0.pair?.first.symbol == view } ?? elements.first { $0.pair?.first.symbol == "agenda" }
    return chosen?.pair?.rest.elements?.compactMap(\.symbol) ?? usual[view] ?? []
  }

  /// The parts of the agenda that show entries, in order (org-agenda-entry-types).
  var entryTypes: [String] {
    let types = self["org-agenda-entry-types"]?.elements?.compactMap(\.symbol)
    var chosen = types ?? [":deadline", ":scheduled", ":timestamp", ":sexp"]
    if !isOn("org-agenda-include-deadlines", true) { chosen.removeAll { $0.hasPrefix(":deadline") } }
    // Deadlines come first, because other rows are skipped if the deadline is shown.
    let deadlines = chosen.filter { $0.hasPrefix(":deadline") }
    return deadlines.prefix(1) + chosen.filter { !$0.hasPrefix(":deadline") }
  }

  /// The kinds of log entries that are shown, if any, and true if nothing else is (org-agenda-start-with-log-mode).
  var logMode: (kinds: Set<String>, isOnly: Bool)? {
    let mode = value("org-agenda-start-with-log-mode")
    let usual = self["org-agenda-log-mode-items"]?.elements?.compactMap(\.symbol) ?? ["closed", "clock"]
    switch mode {
    case .none: return nil
    case .symbol("only"): return (Set(usual), true)
    case .symbol("clockcheck"): return (["clock"], true)
    case .list(let kinds): return (Set(kinds.compactMap(\.symbol)), false)
    default: return (Set(usual), false)
    }
  }
}
