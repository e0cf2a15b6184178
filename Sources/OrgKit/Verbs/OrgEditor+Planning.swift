extension OrgEditor {
  /// Removes planning items of an entry, and the line with the last one.
  mutating func changePlanning(remove kinds: [Planning.Kind], _ heading: Int) {
    guard let line = buffer.planningLine(heading) else { return }
    let start = buffer.skipBlanks(line)
    for kind in kinds { removePlanningItem(kind, from: start) }
    if buffer.text[start..<buffer.lineEnd(start)].isBlank {
      buffer.delete(line - 1..<buffer.lineEnd(line))
    } else {
      trimLine(from: start)
    }
  }

  /// Puts a planning item first in the line of an entry, which is made if missing, and removes others.
  mutating func setPlanning(_ kind: Planning.Kind, _ stamp: String, remove kinds: [Planning.Kind], _ heading: Int) {
    let start: Int
    if let line = buffer.planningLine(heading) {
      start = buffer.skipBlanks(line)
      for kind in [kind] + kinds { removePlanningItem(kind, from: start) }
      trimLine(from: start)
    } else {
      let indentation = contentIndentation(heading)
      let end = buffer.lineEnd(heading)
      buffer.insert("\n" + String(repeating: " ", count: indentation), at: end)
      start = end + 1 + indentation
    }
    let isLast = start == buffer.lineEnd(start)
    buffer.insert("\(kind.word) \(stamp)" + (isLast ? "" : " "), at: start)
  }

  private mutating func removePlanningItem(_ kind: Planning.Kind, from start: Int) {
    let line = buffer.text[start..<buffer.lineEnd(start)]
    guard let item = Self.planningItem(kind, in: line) else { return }
    let next = Planning.Kind.allCases.compactMap { Self.planningItem($0, in: line[item.upperBound...])?.lowerBound }
      .min()
    buffer.delete(item.lowerBound..<(next ?? line.endIndex))
  }

  /// Returns the place of a keyword with its timestamp.
  static func planningItem(_ kind: Planning.Kind, in line: Bytes) -> Range<Int>? {
    let word = Array(String(describing: kind.word).utf8)
    guard let keyword = line.firstRange(of: word) else { return nil }
    let stamp = line[keyword.upperBound...].drop { $0 == .space }
    let (open, close) = kind == .closed ? ("[", "]") : ("<", ">")
    guard stamp.starts(with: open.utf8),
      let end = stamp.firstIndex(of: Array(close.utf8)[0]), end > stamp.startIndex + 1
    else { return nil }
    return keyword.lowerBound..<end + 1
  }

  /// Removes the blanks at the end of a line.
  private mutating func trimLine(from start: Int) {
    let end = buffer.lineEnd(start)
    buffer.delete(buffer.skipBlanksBackwards(end, to: start)..<end)
  }

  /// Returns the timestamp of a planning item as written.
  func planningStamp(_ kind: Planning.Kind, _ heading: Int) -> String? {
    guard let start = buffer.planningLine(heading) else { return nil }
    let line = buffer.line(start)
    guard let keyword = line.firstRange(of: Array(String(describing: kind.word).utf8)) else { return nil }
    let stamp = line[keyword.upperBound...].trimmedLeft
    guard let close = stamp.firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "]") }),
      OrgTimestamp.isOne(stamp[...close])
    else { return nil }
    return stamp[...close].string
  }

  // MARK: Verbs

  /// Schedules the entry, or sets its deadline.
  mutating func changeDate(_ kind: Planning.Kind, _ change: OrgDateChange) throws(Refusal) {
    let heading = try entry()
    let old = planningStamp(kind, heading)
    let log = value(kind == .deadline ? "org-log-redeadline" : "org-log-reschedule")
    switch change {
    case .set(let text, let repeater, let warning):
      try setDate(kind, text, repeater, warning, old, log, heading)
    case .remove:
      guard let old else { return }
      if log.isTrue {
        let purpose = kind == .deadline ? PendingLog.Purpose.removeDeadline(old: old) : .removeSchedule(old: old)
        try addLog(PendingLog(purpose, how: Self.manner(log)), at: heading)
      }
      removeStamp(kind, heading)
    case .delay: try delay(kind, old, heading)
    }
  }

  private static func manner(_ log: OrgValue) -> PendingLog.Manner { log == .symbol("note") ? .note : .time }

  private mutating func setDate(
    _ kind: Planning.Kind, _ text: String?, _ repeater: String?, _ warning: String?, _ old: String?, _ log: OrgValue,
    _ heading: Int
  ) throws(Refusal) {
    let date = try readDate(text, kind, old.flatMap { OrgTimestamp($0) })
    let kept = text.flatMap(Self.repeaterInText) ?? old.flatMap(Self.cookies)
    setPlanning(kind, date, remove: [.closed], heading)
    if let old, log.isTrue, old != date {
      let purpose = kind == .deadline ? PendingLog.Purpose.redeadline(old: old) : .reschedule(old: old)
      try addLog(PendingLog(purpose, how: Self.manner(log)), at: heading)
    }
    guard let cookies = Self.replaced(kept, repeater, warning), let line = buffer.planningLine(heading),
      let item = Self.planningItem(kind, in: buffer.line(line))
    else { return }
    buffer.insert(" \(cookies)", at: item.upperBound - 1)
  }

  /// Returns the timestamp of a date as typed.
  private mutating func readDate(_ text: String?, _ kind: Planning.Kind, _ old: OrgTimestamp?) throws(Refusal) -> String
  {
    let question = kind == .deadline ? "DEADLINE: Date+time" : "SCHEDULED: Date+time"
    var typed = text ?? ""
    if text == nil { typed = try ask(question) }
    let isRelative = typed.drop { $0 == "-" || $0 == "+" }.first?.isNumber ?? false && "+-".contains(typed.first ?? " ")
    let standard = (text == nil || isRelative ? old : nil).map { OrgMoment($0) }
    let date = try readDate(typed, standard: standard, options.settings)
    return date.stamp(isActive: true).description
  }

  /// The repeater in a text that is a timestamp with brackets.
  private static func repeaterInText(_ text: String) -> String? {
    Array(text.utf8)[...].firstTimestamp(isActive: true).flatMap { OrgTimestamp($0)?.repeater }
  }

  /// The cookies of a timestamp that a new date keeps: the first one, and the next behind it.
  private static func cookies(_ stamp: String) -> String? {
    let words = stamp.dropFirst().dropLast().split(separator: " ").map(String.init)
    guard let first = words.firstIndex(where: isCookie) else { return nil }
    guard first + 1 < words.count, isCookie(words[first + 1]), !words[first + 1].hasPrefix("--"),
      !words[first + 1].hasPrefix("."),
      !words[first + 1].hasPrefix("++"), !words[first].contains("/")
    else { return words[first] }
    return words[first] + " " + words[first + 1]
  }

  private static func isCookie(_ word: String) -> Bool {
    let digits = word.drop { ".+-".contains($0) }
    return digits.startIndex > word.startIndex && digits.first?.isNumber ?? false
      && digits.drop(while: \.isNumber).first.map { "hdwmy".contains($0) } ?? false
  }

  /// Replaces the repeater and the warning among cookies.
  private static func replaced(_ cookies: String?, _ repeater: String?, _ warning: String?) -> String? {
    let words = (cookies ?? "").split(separator: " ").map(String.init)
    let repeaters = repeater.map { [$0] } ?? words.filter { !$0.hasPrefix("-") }
    let warnings = warning.map { [$0] } ?? words.filter { $0.hasPrefix("-") }
    let result = (repeaters + warnings).filter { !$0.isEmpty }
    return result.isEmpty ? nil : result.joined(separator: " ")
  }

  /// Removes a date with its keyword, wherever it stands in the entry.
  mutating func removeStamp(_ kind: Planning.Kind, _ heading: Int) {
    let word = Array("\(kind.word) <".utf8)
    var position = buffer.nextHeading(heading)
    while let found = buffer.text[heading..<position].lastRange(of: word) {
      position = found.lowerBound
      let rest = buffer.text[found.upperBound..<buffer.lineEnd(position)]
      guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { continue }
      buffer.delete(position..<buffer.skipBlanks(close + 1))
      let start = buffer.lineStart(position)
      if !buffer.text[start..<position].isBlank, buffer.text[position - 1] == .space {
        buffer.delete(position - 1..<position)
      } else if buffer.isBlankLine(position) {
        buffer.delete(start..<buffer.nextLine(position))
        position = start
      }
    }
  }

  private mutating func delay(_ kind: Planning.Kind, _ old: String?, _ heading: Int) throws(Refusal) {
    guard let old, let stamp = OrgTimestamp(old), let line = buffer.planningLine(heading),
      let item = Self.planningItem(kind, in: buffer.line(line))
    else { throw Refusal(.notFound, kind == .deadline ? "the entry has no deadline" : "the entry is not scheduled") }
    let answer = try ask(kind == .deadline ? "Warn starting from" : "Delay until")
    let date = try readDate(answer, standard: OrgMoment(stamp), options.settings)
    let days = abs(stamp.date.distance(to: date.moment.day))
    let words = old.dropFirst().dropLast().split(separator: " ")
    let kept = words.filter { !($0.hasPrefix("-") && Self.isCookie(String($0)) && !$0.hasPrefix("--")) }
    let kind = String(describing: kind.word)
    buffer.replace(item, with: "\(kind) <\(kept.joined(separator: " ")) -\(days)d>")
  }
}

extension ArraySlice<UInt8> {
  /// Returns the last occurrence of a text.
  func lastRange(of other: [UInt8]) -> Range<Int>? {
    guard !other.isEmpty, count >= other.count else { return nil }
    var start = endIndex - other.count
    while start >= startIndex {
      if self[start] == other[0], self[start..<start + other.count].elementsEqual(other) {
        return start..<start + other.count
      }
      start -= 1
    }
    return nil
  }
}
