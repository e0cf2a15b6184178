extension OrgEditor {
  /// Changes the task state with all that follows from it, in Org's order.
  mutating func changeState(_ change: OrgStateChange) throws(Refusal) {
    let heading = try entry()
    let isComment = parts(heading).isComment
    if isComment { try toggleComment() }
    try changeState(change, heading, isNested: false)
    if isComment { try toggleComment() }
  }

  /// - Parameter isNested: true for the change back of a task with a repeater, which is not logged.
  mutating func changeState(_ change: OrgStateChange, _ heading: Int, isNested: Bool) throws(Refusal) {
    let old = keyword(heading)
    let new = try newState(change, from: old)
    try refuseIfBlocked(heading, from: old, to: new)
    writeKeyword(new, heading)
    let logging = StateLogging(
      inheritedProperty("LOGGING", heading), options, repeatsLog: value("org-log-repeat", default: .symbol("time")),
      doneLog: isNested ? .none : value("org-log-done"), isNested: isNested)
    if change != .nextSet, change != .previousSet { try logState(logging, heading, from: old, to: new) }
    changeTriggeredTags(new, heading)
    alignTagsIfWanted(heading)
    let mark = buffer.mark(heading)
    updateParentStatistics(heading)
    try stopClockIfDone(new, buffer[mark])
    if options.states.isDone(new), !options.states.isDone(old), !isNested {
      try repeatTask(buffer[mark], from: old, to: new ?? "", logging)
    }
    self.heading = buffer[mark]
  }

  private mutating func newState(_ change: OrgStateChange, from old: String?) throws(Refusal) -> String? {
    let states = options.states
    let names = states.states.map(\.name)
    let place = old.flatMap { names.firstIndex(of: $0) }
    switch change {
    case .state(let name):
      if name.isEmpty { return nil }
      guard names.contains(name) else {
        throw Refusal(.invalid, "State \(name) is not valid in this file; it has \(names.joined(separator: ", "))")
      }
      return name
    case .next: return place.map { $0 + 1 < names.count ? names[$0 + 1] : nil } ?? names.first
    case .previous: return place.map { $0 > 0 ? names[$0 - 1] : nil } ?? names.last
    case .cycle:
      if context.answers.isEmpty || !states.states.contains(where: { $0.key != nil }) {
        return Self.nextInSequence(old, states)
      }
      return try stateForKey(old)
    case .nextSet: return Self.head(after: old, states.heads.map(\.name), states)
    case .previousSet: return Self.head(after: old, states.heads.reversed().map(\.name), states)
    case .key: return try stateForKey(old)
    case .done:
      let sequence = states.sequence(old.flatMap { states[$0]?.sequence } ?? 0)
      return (sequence.first(where: \.isDone) ?? states.states.first(where: \.isDone))?.name
    }
  }

  private static func nextInSequence(_ old: String?, _ states: OrgStates) -> String? {
    guard let old, let state = states[old] else { return states.states.first?.name }
    let names = states.sequence(state.sequence).map(\.name)
    guard let place = names.firstIndex(of: old), place + 1 < names.count else { return nil }
    return names[place + 1]
  }

  private static func head(after old: String?, _ heads: [String], _ states: OrgStates) -> String? {
    guard let head = old.flatMap({ states.head(of: $0)?.name }), let place = heads.firstIndex(of: head),
      place + 1 < heads.count
    else { return heads.first }
    return heads[place + 1]
  }

  private mutating func stateForKey(_ old: String?) throws(Refusal) -> String? {
    let states = options.states
    let key = try ask("Key of a state; SPC clears")
    if key == "SPC" || key == " " { return nil }
    let sequence = states.sequence(old.flatMap { states[$0]?.sequence } ?? 0)
    let found = (sequence + states.states).first { $0.key.map(String.init) == key }
    guard let found else { throw Refusal(.invalid, "no state has the key \(key)") }
    return found.name
  }

  /// Replaces the keyword with the blanks around it.
  private mutating func writeKeyword(_ new: String?, _ heading: Int) {
    let parts = parts(heading)
    let start = heading + parts.level
    let end = buffer.skipBlanks(parts.keyword?.upperBound ?? start)
    let text = new.map { " \($0) " } ?? " "
    buffer.replace(start..<(parts.keyword == nil ? max(end, start) : end), with: text)
  }

  // MARK: Logging

  private mutating func logState(
    _ logging: StateLogging, _ heading: Int, from old: String?, to new: String?
  ) throws(Refusal) {
    guard logging.isOn else { return }
    let manner = logging.manner(from: old, to: new)
    let states = options.states
    let isCleared = new == nil && !isOn("org-closed-keep-when-no-todo")
    let isReopened = states.isOpen(new) && !states.isOpen(old)
    if isCleared || isReopened { changePlanning(remove: [.closed], heading) }
    let isDone = states.isDone(new) && !states.isDone(old)
    if isDone, logging.doneLog.isTrue {
      setPlanning(.closed, context.now.timestamp(isActive: false).description, remove: [], heading)
      if manner == nil, logging.doneLog == .symbol("note") {
        try addLog(PendingLog(.done(state: new, from: old), how: .note), at: heading)
      }
    }
    if let new, let manner {
      try addLog(PendingLog(.state(new, from: old), how: manner), at: heading)
    }
  }

  // MARK: Tags

  private mutating func changeTriggeredTags(_ state: String?, _ heading: Int) {
    let triggers = (value("org-todo-state-tags-triggers").elements ?? []).compactMap(\.pair)
    var wanted: [OrgValue] = [state.map(OrgValue.text) ?? .text("")]
    if options.states.isOpen(state) { wanted.append(.symbol("todo")) }
    if options.states.isDone(state) { wanted.append(.symbol("done")) }
    for key in wanted {
      guard let trigger = triggers.first(where: { $0.first == key }) else { continue }
      for change in (trigger.rest.elements ?? []).compactMap(\.pair) {
        guard let tag = change.first.text else { continue }
        toggleTag(tag, to: change.rest.isTrue, heading)
      }
    }
  }
}

/// What is logged of state changes of one entry.
struct StateLogging {
  /// `org-log-done` for the entry.
  let doneLog: OrgValue
  /// `org-log-repeat` for the entry.
  let repeatLog: OrgValue
  private let states: OrgStates

  /// The logging of an entry with a property `LOGGING`, or of its file.
  init(
    _ property: String?, _ options: FileOptions, repeatsLog: OrgValue, doneLog: OrgValue, isNested: Bool
  ) {
    var states = options.states
    if isNested { states.setLogging([]) }
    guard let property else {
      (self.doneLog, repeatLog, self.states) = (doneLog, repeatsLog, states)
      return
    }
    let words = property.split(separator: " ")
    var (done, repeats) = (OrgValue.none, OrgValue.none)
    for (name, value) in words.flatMap({ FileOptions.startup[String($0), default: []] }) {
      if name == "org-log-done" { done = value }
      if name == "org-log-repeat" { repeats = value }
    }
    states.setLogging(words)
    (self.doneLog, repeatLog, self.states) = (done, repeats, states)
  }

  /// True if anything about state changes is logged.
  var isOn: Bool { doneLog.isTrue || states.areLogged }

  /// Returns how a change is logged: entering the new state wins over leaving the old one.
  func manner(from old: String?, to new: String?) -> PendingLog.Manner? {
    switch new.flatMap({ states[$0]?.entering }) ?? old.flatMap({ states[$0]?.leaving }) {
    case .time: .time
    case .note: .note
    case nil: nil
    }
  }
}
