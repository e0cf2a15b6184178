extension OrgEditor {
  /// The setting for the drawer of clocks: its name, or the number of clock lines from which on there is one.
  private enum ClockDrawer {
    case none
    case named(String)
    case from(Int)
  }

  private mutating func clockDrawerSetting(_ heading: Int) -> ClockDrawer {
    let usual = logDrawer(heading) ?? "LOGBOOK"
    switch inheritedProperty("CLOCK_INTO_DRAWER", heading) {
    case .some("nil"): return .none
    case .some("t"): return .named(usual)
    case .some(let text) where !text.isEmpty: return Int(written: text).map { .from($0) } ?? .named(text)
    default: break
    }
    switch value("org-clock-into-drawer", default: .yes) {
    case .text(let name): return .named(name)
    case .number(let number): return .from(number)
    case .none: return .none
    default: return .named(usual)
    }
  }

  /// Returns the name of the drawer for clocks.
  mutating func clockDrawer(_ heading: Int) -> String? {
    switch clockDrawerSetting(heading) {
    case .none: nil
    case .named(let name): name
    case .from: logDrawer(heading) ?? "LOGBOOK"
    }
  }

  /// Returns the start of the line where a new clock line goes; a drawer is made if it is due.
  mutating func clockPosition(_ heading: Int) -> Int {
    let isNewestFirst = isOn("org-log-states-order-reversed", default: true)
    let end = buffer.nextHeading(heading)
    let setting = clockDrawerSetting(heading)
    let name = clockDrawer(heading)
    if let name, let found = findDrawer(name, from: buffer.nextLine(heading), to: end) {
      guard !isNewestFirst, let close = buffer.drawerEnd(found, before: end) else { return buffer.nextLine(found) }
      return buffer.previousLine(close)
    }
    let clocks = clockLines(heading)
    guard let first = clocks.first, let last = clocks.last else { return newClockPosition(heading, setting, name) }
    if let name, isDrawerDue(setting, clocks.count) { return moveClocks(clocks, into: name, heading, isNewestFirst) }
    return isNewestFirst ? first : last
  }

  private func isDrawerDue(_ setting: ClockDrawer, _ count: Int) -> Bool {
    switch setting {
    case .none: false
    case .named: true
    case .from(let number): count + 1 >= number
    }
  }

  private mutating func newClockPosition(_ heading: Int, _ setting: ClockDrawer, _ name: String?) -> Int {
    var position = buffer.metaDataEnd(heading)
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    if case .from(let number) = setting, number >= 2 { return position }
    guard let name else { return position }
    return insertDrawer(name, at: position)
  }

  private func clockLines(_ heading: Int) -> [Int] {
    var (found, position) = ([Int](), buffer.nextLine(heading))
    while position < buffer.nextHeading(heading) {
      if buffer.line(position).trimmedLeft.starts(with: "CLOCK:".utf8) { found.append(position) }
      position = buffer.lineEnd(position) + 1
    }
    return found
  }

  /// Moves clock lines, the last one first, into a new drawer.
  private mutating func moveClocks(_ clocks: [Int], into name: String, _ heading: Int, _ isNewestFirst: Bool) -> Int {
    var lines: [String] = []
    for clock in clocks.reversed() {
      lines.append(buffer.line(clock).trimmed.string)
      let text = buffer.skipWhiteSpaceBackwards(clock)
      buffer.delete(min(buffer.nextLine(text), clock)..<buffer.nextLine(clock))
    }
    let start = buffer.metaDataEnd(heading)
    let indentation = String(repeating: " ", count: firstLineIndentation(at: start))
    let text = ([":\(name):"] + lines + [":END:"]).map { indentation + $0 + "\n" }
    buffer.insert(text.joined(), at: start)
    return isNewestFirst ? buffer.nextLine(start) : start + text.dropLast().joined().utf8.count
  }
}
