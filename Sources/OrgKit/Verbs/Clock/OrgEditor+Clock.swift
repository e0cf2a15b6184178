/// Returns the place of the entry with the running clock; nil if no clock runs.
package func runningClock(in files: inout OrgFileSet, _ context: OrgContext) throws(Refusal) -> OrgPlace? {
  var editor = OrgEditor(files, context)
  try editor.visit(OrgPlace(file: files.names.first ?? "", entry: .preamble))
  guard try editor.findRunningClock(), let heading = editor.heading else { return nil }
  files = editor.files
  return OrgPlace(file: editor.buffer.path, entry: .line(editor.buffer.lineNumber(heading)))
}

extension OrgEditor {
  /// Starts the clock on the entry; a running one is stopped first, at the same minute.
  mutating func clockIn(start: OrgMoment?) throws(Refusal) {
    let heading = try entry()
    let (file, mark) = (buffer.path, buffer.mark(heading))
    if try findRunningClock() {
      if buffer.path == file, buffer.heading(containing: line ?? 0) == buffer[mark] { return }
      try stopClock(at: now)
      try storePendingLog()
      try open(file)
    }
    self.heading = buffer[mark]
    if let state = value("org-clock-in-switch-to-state").text, keyword(buffer[mark]) != state {
      try changeState(.state(state))
    }
    let position = clockPosition(buffer[mark])
    buffer.insert("\n", at: position)
    let indentation = String(repeating: " ", count: clockIndentation(at: position))
    let stamp = (start ?? now).timestamp(isActive: false)
    buffer.insert("\(indentation)CLOCK: \(stamp)", at: position)
    self.heading = buffer[mark]
    effects.append(.clockStarted(file: file, title: title(buffer[mark])))
  }

  /// The present time, rounded as `org-clock-rounding-minutes` says.
  private var now: OrgMoment {
    let step = context.settings.number("org-clock-rounding-minutes", default: 0)
    guard step > 1 else { return context.now }
    let minute = context.now.minute
    return OrgMoment(day: context.now.day, minute: minute / step * step)
  }

  private mutating func clockIndentation(at position: Int) -> Int { firstLineIndentation(at: position) }

  /// Stops the running clock.
  mutating func clockOut(end: OrgMoment?) throws(Refusal) {
    guard try findRunningClock() else { throw Refusal(.notFound, "No active clock") }
    try stopClock(at: end ?? now)
  }

  /// Removes the running clock's line, and its drawer if it is empty then.
  mutating func clockCancel() throws(Refusal) {
    guard try findRunningClock(), let line else { throw Refusal(.notFound, "No active clock") }
    let above = max(0, line - 1)
    buffer.delete(above..<buffer.lineEnd(line))
    let start = buffer.lineStart(above)
    if BlockScanner.drawerName(buffer.line(start).trimmed) != nil {
      removeEmptyDrawers(in: start..<buffer.nextHeading(start))
    }
  }

  /// Finds the open clock line of the context, or of any file; `line` is its place then.
  mutating func findRunningClock() throws(Refusal) -> Bool {
    let present = buffer.path
    if let place = context.runningClock {
      try visit(place)
      let end = heading.map(buffer.nextHeading) ?? buffer.count
      return findOpenClock(in: (heading ?? 0)..<end)
    }
    for name in [present] + files.names.filter({ $0 != present }) {
      guard mayHaveClock(name) else { continue }
      try open(name)
      if findOpenClock(in: 0..<buffer.count) {
        heading = buffer.heading(containing: line ?? 0)
        return true
      }
    }
    try open(present)
    return false
  }

  private mutating func mayHaveClock(_ path: String) -> Bool {
    path == buffer.path || files[path]?[...].firstRange(of: Array("CLOCK:".utf8)) != nil
  }

  private mutating func findOpenClock(in range: Range<Int>) -> Bool {
    var rest = buffer.text[range]
    while let found = rest.firstRange(of: Array("CLOCK:".utf8)) {
      let text = buffer.line(found.lowerBound)
      if LogItem.isClock(text.trimmedLeft), text.inactiveTimestamps.count == 1, text.trimmed.last == UInt8(ascii: "]") {
        line = buffer.lineStart(found.lowerBound)
        return true
      }
      rest = rest[found.upperBound...]
    }
    return false
  }

  /// Writes the end of the open clock line that was found.
  private mutating func stopClock(at end: OrgMoment) throws(Refusal) {
    guard let line, let open = buffer.line(line).inactiveTimestamps.first, let start = OrgTimestamp(open) else {
      return
    }
    let heading = buffer.heading(containing: line) ?? 0
    let minutes = context.zone.minutes(from: OrgMoment(start), to: end)
    let hours = minutes.quotient(by: 60)
    let padding = 0...9 ~= hours ? " " : ""
    let text = "--\(end.timestamp(isActive: false)) => \(padding)\(hours):\(Self.twoDigits(minutes - 60 * hours))"
    buffer.replace(open.endIndex..<buffer.lineEnd(line), with: text)
    effects.append(.clockStopped(file: buffer.path, title: title(heading), minutes: minutes))
    let isRemoved = minutes == 0 && isOn("org-clock-out-remove-zero-time-clocks")
    let mark = buffer.mark(buffer.lineEnd(line))
    if isRemoved { buffer.delete(line..<buffer.nextLine(line)) }
    if let drawer = clockDrawer(heading), isRemoved { removeEmptyDrawer(drawer, heading) }
    self.heading = heading
    if let state = value("org-clock-out-switch-to-state").text, keyword(heading) != state {
      overrides["org-clock-out-when-done"] = OrgValue.none
      try changeState(.state(state))
      overrides["org-clock-out-when-done"] = nil
    }
    if isOn("org-log-note-clock-out"), !isRemoved { try addLog(PendingLog(.clockOut, how: .note), at: buffer[mark]) }
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private mutating func removeEmptyDrawer(_ name: String, _ heading: Int) {
    var position = heading
    while position < buffer.subtreeEnd(heading) {
      if BlockScanner.drawerName(buffer.line(position).trimmed) == Array(name.lowercased().utf8),
        let close = buffer.drawerEnd(position, before: buffer.nextHeading(position)),
        buffer.text[buffer.nextLine(position)..<buffer.previousLine(close)].isBlankText
      {
        buffer.delete(position..<close)
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
  }

  /// Stops the clock of the entry if the new state asks for it; no note is taken.
  mutating func stopClockIfDone(_ state: String?, _ heading: Int) throws(Refusal) {
    let setting = value("org-clock-out-when-done", default: .yes)
    let states = setting.elements?.compactMap(\.text)
    guard let state, setting.isTrue, states?.contains(state) ?? options.states.isDone(state) else { return }
    let (saved, line) = (self.heading, line)
    guard findOpenClock(in: heading..<buffer.nextHeading(heading)) else { return }
    overrides["org-log-note-clock-out"] = OrgValue.none
    overrides["org-clock-out-switch-to-state"] = OrgValue.none
    try stopClock(at: now)
    overrides["org-log-note-clock-out"] = nil
    overrides["org-clock-out-switch-to-state"] = nil
    (self.heading, self.line) = (saved, line)
  }

  /// Computes the duration of a clock line again.
  mutating func updateClock(at position: Int) {
    let line = buffer.line(position)
    guard line.trimmedLeft.starts(with: "CLOCK:".utf8) else { return }
    let stamps = line.inactiveTimestamps
    guard stamps.count >= 2, let start = OrgTimestamp(stamps[0]), let end = OrgTimestamp(stamps[1]) else { return }
    let minutes = context.zone.minutes(from: OrgMoment(start), to: OrgMoment(end))
    let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
    let sign = minutes < 0 ? "-" : hours < 10 ? " " : ""
    buffer.replace(stamps[1].endIndex..<line.endIndex, with: " => \(sign)\(hours):\(Self.twoDigits(rest))")
  }
}

extension ArraySlice<UInt8> {
  /// True if the text has only white space and line feeds.
  var isBlankText: Bool { allSatisfy(\.isBlankOrNewline) }
}
