extension OrgEditor {
  /// Changes the priority of the entry.
  mutating func changePriority(_ change: OrgPriorityChange) throws(Refusal) {
    let heading = try entry()
    let range = priorityRange()
    let cookie = priorityCookie(heading)
    let current = cookie.map { Self.value(of: buffer.text[$0.dropFirst(2).dropLast(1)].string) }
    switch try newValue(change, current, range) {
    case .some(let new): try writePriority(Self.text(of: new), heading, cookie)
    case .none: try removePriority(heading, cookie)
    }
    alignTags(heading)
  }

  /// The highest, lowest and default priority, as numbers; letters are their code points.
  private mutating func priorityRange() -> (highest: Int, lowest: Int, standard: Int) {
    if let words = options.lines("PRIORITIES").first?.split(separator: " ").map({ Self.value(of: String($0)) }),
      words.count >= 3
    {
      return (words[0], words[1], words[2])
    }
    return (
      number("org-priority-highest", 65), number("org-priority-lowest", 67), number("org-priority-default", 66)
    )
  }

  private mutating func number(_ name: String, _ standard: Int) -> Int {
    value(name, default: .number(standard)).number ?? standard
  }

  /// Returns the first `[#…]` of the headline.
  private func priorityCookie(_ heading: Int) -> Range<Int>? {
    let line = buffer.line(heading)
    var position = line.startIndex
    while let open = line[position...].firstRange(of: Array("[#".utf8)) {
      let name = line[open.upperBound...].prefix { $0.isLetter || $0.isDigit }
      if !name.isEmpty, name.endIndex < line.endIndex, line[name.endIndex] == UInt8(ascii: "]") {
        return open.lowerBound..<name.endIndex + 1
      }
      position = open.upperBound
    }
    return nil
  }

  /// Returns the new priority; nil removes it.
  private func newValue(
    _ change: OrgPriorityChange, _ current: Int?, _ range: (highest: Int, lowest: Int, standard: Int)
  ) throws(Refusal) -> Int? {
    switch change {
    case .set(let text):
      if text.isEmpty || text == " " { return nil }
      let new = Self.value(of: text.uppercased())
      guard range.highest...max(range.highest, range.lowest) ~= new else {
        let (highest, lowest) = (Self.text(of: range.highest), Self.text(of: range.lowest))
        throw Refusal(.invalid, "Priority must be between \(highest) and \(lowest)")
      }
      return new
    // Without a priority, Org begins at the other end when a command is repeated, as each of these is.
    case .up:
      guard let current else { return range.lowest }
      return current - 1 < range.highest || current - 1 > range.lowest ? nil : current - 1
    case .down:
      guard let current else { return range.highest }
      return current + 1 > range.lowest || current + 1 < range.highest ? nil : current + 1
    }
  }

  private mutating func writePriority(_ text: String, _ heading: Int, _ cookie: Range<Int>?) throws(Refusal) {
    if let cookie { return buffer.replace(cookie, with: "[#\(text)]") }
    let parts = parts(heading)
    if let keyword = parts.keyword {
      buffer.insert(" [#\(text)]", at: keyword.upperBound)
    } else {
      buffer.insert("[#\(text)] ", at: buffer.skipBlanks(heading + parts.level))
    }
  }

  private mutating func removePriority(_ heading: Int, _ cookie: Range<Int>?) throws(Refusal) {
    guard let cookie else { throw Refusal(.notFound, "the entry has no priority") }
    let end = buffer.byte(at: cookie.upperBound) == .space ? cookie.upperBound + 1 : cookie.upperBound
    buffer.delete(cookie.lowerBound..<end)
  }

  private static func value(of text: String) -> Int {
    Int(written: text.drop { !$0.isNumber }.prefix(while: \.isNumber)) ?? Int(text.unicodeScalars.first?.value ?? 0)
  }

  private static func text(of value: Int) -> String {
    value > 64 ? UnicodeScalar(UInt32(value)).map { String($0) } ?? "" : String(value)
  }
}
