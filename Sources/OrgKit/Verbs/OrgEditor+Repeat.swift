extension OrgEditor {
  /// Moves the dates of a task with a repeater on and puts its state back.
  mutating func repeatTask(
    _ heading: Int, from old: String?, to new: String, _ logging: StateLogging
  ) throws(Refusal) {
    guard let repeater = repeatingStamps(heading).first.flatMap({ OrgTimestamp(buffer.text[$0])?.repeater }),
      repeater.drop(while: { "+.".contains($0) }).prefix(while: \.isNumber).contains(where: { $0 != "0" })
    else { return }
    let mark = buffer.mark(heading)
    let log = logging.repeatLog
    try changeState(.state(stateAfterRepeat(heading, old)), heading, isNested: true)
    changePlanning(remove: [.closed], buffer[mark])
    if log.isTrue || hasClock(buffer[mark]) {
      putProperty("LAST_REPEAT", context.now.timestamp(isActive: false).description, buffer[mark])
    }
    if log.isTrue { try logRepeat(log, buffer[mark], from: old, to: new) }
    if let scheduled = planningStamp(.scheduled, buffer[mark]), OrgTimestamp(scheduled)?.repeater == nil {
      removeStamp(.scheduled, buffer[mark])
    }
    try moveRepeatingStamps(buffer[mark])
    effects.append(.repeated(title: title(buffer[mark])))
  }

  private mutating func stateAfterRepeat(_ heading: Int, _ old: String?) -> String {
    let states = options.states
    let setting = value("org-todo-repeat-to-state")
    let wanted = localProperty("REPEAT_TO_STATE", heading) ?? setting.text ?? (setting.isTrue ? old ?? "" : nil)
    if let wanted, states[wanted] != nil { return wanted }
    return old.flatMap { states.head(of: $0)?.name } ?? ""
  }

  private mutating func logRepeat(_ log: OrgValue, _ heading: Int, from old: String?, to new: String) throws(Refusal) {
    if pendingLog == nil {
      try addLog(PendingLog(.state(new, from: old ?? ""), how: log == .symbol("note") ? .note : .time), at: heading)
    } else if log == .symbol("note") {
      pendingLog?.manner = .note
    }
  }

  private func hasClock(_ heading: Int) -> Bool {
    buffer.text[heading..<buffer.nextHeading(heading)].lines.contains { LogItem.isClock($0.trimmedLeft) }
  }

  /// Returns the places of the active timestamps with a repeater in headline, planning and text.
  private func repeatingStamps(_ heading: Int) -> [Range<Int>] {
    var found: [Range<Int>] = []
    forEachTextLine(heading) { line in
      var rest = line
      while let stamp = rest.firstTimestamp(isActive: true) {
        if OrgTimestamp(stamp)?.repeater != nil { found.append(stamp.startIndex..<stamp.endIndex) }
        rest = rest[stamp.endIndex...]
      }
    }
    return found
  }

  /// Calls `body` with the lines of an entry in which Org parses timestamps: not comments, blocks of code and examples, fixed
  /// text and keywords.
  private func forEachTextLine(_ heading: Int, _ body: (Bytes) -> Void) {
    body(buffer.line(heading))
    let end = buffer.nextHeading(heading)
    var position = buffer.nextLine(heading)
    while position < end {
      let line = buffer.line(position)
      let content = line.trimmedLeft
      if content.first == UInt8(ascii: "#") {
        let isVerbatim = ["src", "example", "export", "comment"].contains { name in
          content.lowercasedStarts(with: Array("#+begin_\(name)".utf8))
        }
        if isVerbatim, let close = buffer.blockEnd(position, before: end) {
          position = close
          continue
        }
        let isMarker =
          content.count == 1 || content.dropFirst().first == .space || content.dropFirst().first == UInt8(ascii: "+")
        if !isMarker { body(line) }
      } else if !(content.first == .colon && (content.count == 1 || content.dropFirst().first == .space)) {
        body(line)
      }
      position = buffer.lineEnd(position) + 1
    }
  }

  private mutating func moveRepeatingStamps(_ heading: Int) throws(Refusal) {
    var moved = 0
    while true {
      let stamps = repeatingStamps(heading)
      guard moved < stamps.count else { return }
      try moveOn(stamps[moved])
      moved += 1
    }
  }

  /// Moves a timestamp on by its repeater.
  private mutating func moveOn(_ place: Range<Int>) throws(Refusal) {
    guard let stamp = OrgTimestamp(buffer.text[place]), let repeater = stamp.repeater.flatMap(Repeater.init) else {
      return
    }
    if repeater.unit == .hour, stamp.time == nil {
      throw Refusal(.invalid, "cannot repeat \(stamp): it has a repeater in hours and no time of day")
    }
    var text = buffer.text[place].string
    switch repeater.kind {
    case .fromToday:
      text = shifted(text, by: distanceToNow(stamp, repeater.unit), repeater.unit == .hour ? .minute : .day)
    case .intoFuture: text = try shiftedIntoFuture(text, repeater)
    case .once: break
    }
    var shift = TimestampShift(amount: repeater.count, unit: repeater.unit, zone: context.zone)
    shift.dropsFirstDelay = true
    let new = shift.apply(to: Array(text.utf8)[...]) ?? text
    let old = OrgTimestamp(text)
    buffer.replace(place, with: new)
    if shift.unit == .month || shift.unit == .year, let old, let moved = OrgTimestamp(new), old.day != moved.day {
      effects.append(.hint("the month has no day \(old.day); the date becomes \(new)"))
    }
  }

  private func shifted(_ text: String, by amount: Int, _ unit: OrgTimeUnit) -> String {
    TimestampShift(amount: amount, unit: unit, zone: context.zone).apply(to: Array(text.utf8)[...]) ?? text
  }

  private func distanceToNow(_ stamp: OrgTimestamp, _ unit: OrgTimeUnit) -> Int {
    unit == .hour
      ? context.zone.minutes(from: OrgMoment(stamp), to: context.now) : stamp.date.distance(to: context.now.day)
  }

  /// Moves a timestamp by whole intervals until one more lies in the future.
  private mutating func shiftedIntoFuture(_ text: String, _ repeater: Repeater) throws(Refusal) -> String {
    var (text, count) = (text, 0)
    while true {
      count += 1
      if count == 10, let answer = answer(), !["y", "yes"].contains(answer) {
        throw Refusal(.invalid, "10 repeater intervals were not enough to shift the date past today")
      }
      text = shifted(text, by: repeater.count, repeater.unit)
      guard let stamp = OrgTimestamp(text), OrgMoment(stamp) <= context.now else { break }
    }
    return shifted(text, by: -repeater.count, repeater.unit)
  }
}

/// A repeater such as `++2w`.
struct Repeater {
  /// How a date moves.
  enum Kind {
    /// `+`: by one interval.
    case once
    /// `++`: by intervals into the future.
    case intoFuture
    /// `.+`: by one interval from today.
    case fromToday
  }

  let kind: Kind
  let count: Int
  let unit: OrgTimeUnit

  init?(_ text: String) {
    let signs = text.prefix { "+.".contains($0) }
    switch signs {
    case "+": kind = .once
    case "++": kind = .intoFuture
    case ".+": kind = .fromToday
    default: return nil
    }
    let digits = text.dropFirst(signs.count).prefix { $0.isASCII && $0.isNumber }
    guard digits.count < 6, let number = Int(digits), let letter = text.dropFirst(signs.count + digits.count).first
    else {
      return nil
    }
    switch letter {
    case "h": (count, unit) = (number, .hour)
    case "d": (count, unit) = (number, .day)
    case "w": (count, unit) = (number * 7, .day)
    case "m": (count, unit) = (number, .month)
    case "y": (count, unit) = (number, .year)
    default: return nil
    }
  }
}
