extension OrgEditor {
  /// Inserts copies after the entry, each with its dates moved further.
  mutating func clone(times: Int, shift: String?) throws(Refusal) {
    let heading = try entry()
    var end = buffer.subtreeEnd(heading)
    let shift = try shiftOfClones(shift, in: heading..<end)
    if !buffer.isLineStart(end) {
      buffer.insert("\n", at: end)
      end += 1
    }
    let template = Array(buffer.text[heading..<end])
    let repeats = shift != nil && Self.hasRepeater(template[...])
    if repeats { buffer.delete(heading..<end) }
    var position = repeats ? heading : end
    for number in (repeats ? 0 : 1)...max(repeats ? times + 1 : times, repeats ? 0 : 1) where repeats || times > 0 {
      let keepsRepeater = repeats && number == times + 1
      let copy = try copied(template, number: number, shift, keepsRepeater: keepsRepeater)
      buffer.insert(copy, at: position)
      position += copy.count
    }
  }

  private mutating func shiftOfClones(_ shift: String?, in range: Range<Int>) throws(Refusal) -> TimestampShift? {
    var text = shift ?? ""
    if shift == nil, Self.nextTimestamp(in: buffer.text[range]) != nil {
      text = try ask("Date shift per clone (e.g. +1w, empty to copy unchanged)")
    }
    text = text.filter { $0 != " " && $0 != "\t" }
    if text.isEmpty { return nil }
    let digits = text.hasPrefix("+") ? text.dropFirst().dropLast() : text.dropLast()
    guard let count = Int(written: digits), let letter = text.last else {
      throw Refusal(.invalid, "Invalid shift specification \(text)")
    }
    let units: [Character: (Int, OrgTimeUnit)] = [
      "h": (1, .hour), "d": (1, .day), "w": (7, .day), "m": (1, .month), "y": (1, .year),
    ]
    guard let unit = units[letter] else { throw Refusal(.invalid, "Invalid shift specification \(text)") }
    return TimestampShift(amount: count * unit.0, unit: unit.1, zone: context.zone)
  }

  private static func hasRepeater(_ text: Bytes) -> Bool {
    var rest = text
    while let stamp = rest.firstTimestamp(isActive: true) {
      if OrgTimestamp(stamp)?.repeater != nil { return true }
      rest = rest[stamp.endIndex...]
    }
    return false
  }

  /// Returns one copy: with a new ID, without clock lines, and with its dates moved.
  private func copied(
    _ template: [UInt8], number: Int, _ shift: TimestampShift?, keepsRepeater: Bool
  ) throws(Refusal) -> [UInt8] {
    var editor = OrgEditor(files, context)
    editor.buffer = OrgBuffer(path: buffer.path, content: template)
    try editor.makeCopy(number: number, keepsID: number == 0 && !hasOldLayout)
    if let shift { editor.shiftStamps(number, shift, keepsRepeater: keepsRepeater) }
    return editor.buffer.text
  }

  private mutating func makeCopy(number: Int, keepsID: Bool) throws(Refusal) {
    heading = 0
    if localProperty("ID", 0) != nil, !keepsID {
      if isOn("org-clone-delete-id") { deleteProperty("ID", 0) } else { putProperty("ID", context.newID(), 0) }
    }
    guard number > 0 else { return }
    var position = 0
    while position < buffer.count {
      if LogItem.isClock(buffer.line(position).trimmedLeft) {
        buffer.delete(position..<buffer.nextLine(position))
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
    removeEmptyDrawers(in: 0..<buffer.count)
  }

  private mutating func shiftStamps(_ number: Int, _ shift: TimestampShift, keepsRepeater: Bool) {
    let shift = TimestampShift(amount: number * shift.amount, unit: shift.unit, zone: shift.zone)
    var position = 0
    while let stamp = Self.nextTimestamp(in: buffer.text[position...]) {
      var new = shift.apply(to: buffer.text[stamp]) ?? ""
      if !keepsRepeater, new.hasPrefix("<") { new = Self.withoutRepeater(new) }
      buffer.replace(stamp, with: new)
      position = stamp.lowerBound + new.utf8.count
    }
  }

  private static func withoutRepeater(_ stamp: String) -> String {
    let words = stamp.dropLast().split(separator: " ")
    guard
      let place = words.lastIndex(where: {
        ($0.hasPrefix("+") || $0.hasPrefix(".+")) && !$0.hasPrefix("++") || $0.hasPrefix("++")
      })
    else { return stamp }
    var kept = words
    let habit = kept[place].split(separator: "/").dropFirst()
    kept.remove(at: place)
    return kept.joined(separator: " ") + habit.map { "/\($0)" }.joined() + ">"
  }

  /// Removes drawers that contain only blank lines.
  mutating func removeEmptyDrawers(in range: Range<Int>) {
    var position = range.lowerBound
    let end = buffer.mark(range.upperBound)
    while position < buffer[end] {
      if BlockScanner.drawerName(buffer.line(position).trimmed) != nil,
        let close = buffer.drawerEnd(position, before: buffer[end]),
        buffer.text[buffer.nextLine(position)..<buffer.previousLine(close)].allSatisfy(\.isBlankOrNewline)
      {
        buffer.delete(position..<close)
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
  }
}
