extension OrgAgenda {
  /// Returns the list of tasks (org-todo-list).
  ///
  /// - Parameter states: `NEXT|WAIT`, `*` for all states, or nil for all tasks that are not done.
  public func todoList(states wanted: String? = nil) -> [OrgAgendaRow] {
    let list = TodoList(settings, today: now.day, states: wanted)
    let rows = shownFiles().flatMap { list.rows($0) }
    return [header("Global list of TODO items of type: \(wanted ?? "ALL")")] + (isBlock ? [] : stateHint())
      + sorted(rows, "todo")
  }

  private func stateHint() -> [OrgAgendaRow] {
    var lines = ["Press ‘N r’ (e.g. ‘0 r’) to search again: (0)[ALL]"]
    for (number, state) in states.enumerated() {
      let choice = "(\(number + 1))\(state)"
      if lines[lines.count - 1].count + choice.count + 1 > AgendaLine.width {
        lines.append(String(repeating: " ", count: 21))
      }
      lines[lines.count - 1] += " " + choice
    }
    return lines.map { OrgAgendaRow(.line, heading: $0) }
  }

  /// Returns the entries that a match of tags and properties selects (org-tags-view).
  public func matches(_ match: String, onlyTasks: Bool = false) throws(OrgQueryError) -> [OrgAgendaRow] {
    let matcher = try OrgMatcher(match, groups: groups, now: now)
    let hint = isBlock ? [] : [OrgAgendaRow(.line, heading: "Press ‘C-u r’ to search again")]
    let rows = shownFiles().flatMap { select($0, matcher, onlyTasks: onlyTasks) }
    return [header("Headlines with TAGS match: \(match)")] + hint + sorted(rows, "tags")
  }

  private func select(_ items: [OrgItem], _ matcher: OrgMatcher, onlyTasks: Bool) -> [OrgAgendaRow] {
    let showsSublevels = settings.isOn("org-tags-match-list-sublevels", true)
    let ignored = TodoList(settings, today: now.day)
    let honors = settings.isOn("org-agenda-tags-todo-honor-ignore-options")
    var (rows, hiddenBelow) = ([OrgAgendaRow](), Int.max)
    for item in items {
      if item.level > hiddenBelow { continue }
      hiddenBelow = .max
      guard matcher.selects(item), !onlyTasks || item.keyword != nil && !item.isDone else { continue }
      if onlyTasks, honors, ignored.isIgnored(item) { continue }
      rows.append(matchRow(item))
      if !showsSublevels { hiddenBelow = item.level }
    }
    return rows
  }

  private func matchRow(_ item: OrgItem) -> OrgAgendaRow {
    var row = OrgAgendaRow(.tagsMatch, item, settings, time: .none)
    (row.tags, row.inheritedTagCount) = (item.inheritedTags + item.tags, item.inheritedTags.count)
    row.urgency = item.importance
    return row
  }

  /// Returns the projects without a next action (org-stuck-projects).
  public func stuck() throws(OrgQueryError) -> [OrgAgendaRow] {
    let setting =
      settings["org-stuck-projects"]?.elements ?? [
        .text("+LEVEL=2/-DONE"), .list([.text("TODO"), .text("NEXT"), .text("NEXTACTION")]), .none, .text(""),
      ]
    let value = { (index: Int) in index < setting.count ? setting[index] : .none }
    let rules = ActionRules(
      states: value(1).elements?.compactMap(\.text) ?? [], tags: value(2).elements?.compactMap(\.text) ?? [],
      pattern: value(3).text.flatMap { $0.trimmedBlanks.isEmpty ? nil : EmacsPattern($0, ignoresCase: false) },
      openStates: states, text: text)
    let matcher = try OrgMatcher(value(0).text ?? "", groups: groups, now: now)
    let rows = zip(files, shownFiles()).flatMap { all, shown in
      let places = Dictionary(zip(all.map(\.line), all.indices)) { first, _ in first }
      return shown.filter { item in
        matcher.selects(item) && !rules.hold(in: places[item.line].map(all.subtree) ?? [])
      }.map(matchRow)
    }
    return [header("List of stuck projects: ")] + sorted(rows, "tags")
  }
}

/// What shows that a project is not stuck.
private struct ActionRules {
  var states: [String]
  var tags: [String]
  var pattern: EmacsPattern?
  var openStates: [String]
  var text: (OrgItem) -> String

  func hold(in items: ArraySlice<OrgItem>) -> Bool { items.contains(where: hold) }

  private func hold(_ item: OrgItem) -> Bool {
    if states.contains("*") ? item.isOpenTask : states.contains(where: item.headline.beginsWithWord) { return true }
    if tags.contains("*") ? !item.tags.isEmpty : item.tags.contains(where: tags.contains) { return true }
    return pattern?.matches(text(item)) ?? false
  }
}

extension String {
  fileprivate func beginsWithWord(_ word: String) -> Bool {
    hasPrefix(word) && !(dropFirst(word.count).first?.isWordCharacter ?? false)
  }
}

extension [OrgItem] {
  /// The item at an index and everything below it.
  fileprivate func subtree(at start: Int) -> ArraySlice<OrgItem> {
    let end = self[(start + 1)...].firstIndex { $0.level <= self[start].level } ?? endIndex
    return self[start..<end]
  }
}
