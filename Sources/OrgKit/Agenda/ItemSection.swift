/// The text below a headline, scanned line by line for the facts of an item.
struct ItemSection {
  private let text: Bytes
  private let title: Bytes
  private let keywords: Keywords

  init(_ text: Bytes, headline title: Bytes, _ keywords: Keywords) {
    (self.text, self.title, self.keywords) = (text, title, keywords)
  }

  func read(into item: inout OrgItem.Facts) {
    Self.readStamps(title, at: 0, into: &item)
    var (rest, offset) = (text, 1)
    if let planning = Planning(rest.firstLine) {
      read(planning, into: &item)
      rest = rest.withoutFirstLine
      offset += 1
    }
    guard !rest.isEmpty else { return }
    if let drawer = PropertyDrawer(at: rest) {
      item.properties = drawer.properties.map { OrgItem.Property(key: $0.key.string, value: $0.value.string) }
    }
    readLines(rest, from: offset, into: &item)
  }

  private func readLines(_ text: Bytes, from first: Int, into item: inout OrgItem.Facts) {
    var (rest, isCode, log, offset) = (text, false, Int?.none, first - 1)
    while !rest.isEmpty {
      let line = rest.firstLine
      offset += 1
      rest = rest[min(line.endIndex + 1, rest.endIndex)...]
      let content = line.trimmedLeft
      guard let first = content.first else { continue }
      if first == UInt8(ascii: "#") {
        if content.hasPrefix(ignoringCase: "#+begin_src") { isCode = true }
        if content.hasPrefix(ignoringCase: "#+end_src") { isCode = false }
        guard content.count > 1, !content[content.startIndex + 1].isBlank else { continue }
      }
      guard !isCode else { continue }
      if let place = log {
        log = nil
        if item.log[place].isContinued(by: content) { item.log[place].note = content.trimmed.note }
      }
      if readLog(content, into: &item) {
        log = item.log.count - 1
      } else if line.span.has("%%(", at: 0) || line.span.has("&%%(", at: 0) {
        Self.readExpression(line, at: offset, into: &item)
      } else {
        Self.readStamps(line, at: offset, into: &item)
      }
    }
  }

  private func read(_ planning: Planning, into item: inout OrgItem.Facts) {
    for kind in Planning.Kind.allCases {
      guard let stamp = planning[kind].flatMap({ OrgTimestamp($0) }) else { continue }
      switch kind {
      case .closed: item.closed = stamp
      case .deadline: if stamp.isActive { item.deadline = .timestamp(stamp) }
      case .scheduled: if stamp.isActive { item.scheduled = .timestamp(stamp) }
      }
    }
    let line = planning.line
    item.deadline = item.deadline ?? Self.expression(behind: "DEADLINE:", in: line)
    item.scheduled = item.scheduled ?? Self.expression(behind: "SCHEDULED:", in: line)
  }

  private static func expression(behind word: String, in line: Bytes) -> OrgPlannedDate? {
    guard line.contains(UInt8(ascii: "%")), let start = line.string.range(behind: word) else { return nil }
    let text = line.string[start...].drop { $0 == " " }
    guard text.hasPrefix("<%%("), let end = text.firstIndex(of: ">"), let close = text[..<end].lastIndex(of: ")") else {
      return nil
    }
    let form = text[text.index(text.startIndex, offsetBy: 3)...close]
    return .expression(String(form), rest: String(text[text.index(after: close)..<end]))
  }

  private static func readStamps(_ line: Bytes, at offset: Int, into item: inout OrgItem.Facts) {
    let active = line.contains(UInt8(ascii: "<")) ? activeDates(in: line) : []
    let inactive = line.contains(UInt8(ascii: "[")) ? inactiveDates(in: line) : []
    item.dates +=
      active.isEmpty || inactive.isEmpty
      ? (active + inactive).map(\.date) : (active + inactive).sorted { $0.start < $1.start }.map(\.date)
    if line.contains(UInt8(ascii: "%")) { readExpressionStamps(line, at: offset, into: &item) }
  }

  /// A date and its position.
  private typealias PlacedDate = (start: Int, date: OrgItem.Date)

  private static func inactiveDates(in line: Bytes) -> [PlacedDate] {
    line.inactiveTimestamps.compactMap { bytes in
      OrgTimestamp(bytes).map { (bytes.startIndex, OrgItem.Date(first: $0, last: nil)) }
    }
  }

  private static func activeDates(in line: Bytes) -> [PlacedDate] {
    var (rest, dates) = (line, [PlacedDate]())
    while let stamp = rest.firstTimestamp(isActive: true), let first = OrgTimestamp(stamp) {
      rest = rest[stamp.endIndex...]
      let dashes = rest.prefix { $0 == UInt8(ascii: "-") }
      let behind = rest[dashes.endIndex...]
      if (1...3).contains(dashes.count), let other = behind.firstTimestamp(isActive: true),
        other.startIndex == behind.startIndex, let last = OrgTimestamp(other)
      {
        dates.append((stamp.startIndex, OrgItem.Date(first: first, last: last)))
        rest = rest[other.endIndex...]
      } else {
        dates.append((stamp.startIndex, OrgItem.Date(first: first, last: nil)))
      }
    }
    return dates
  }

  private static func readExpressionStamps(_ line: Bytes, at offset: Int, into item: inout OrgItem.Facts) {
    var rest = line.string[...]
    while let start = rest.range(behind: "<%%(") {
      let form = rest[rest.index(before: start)...]
      guard let end = form.firstIndex(of: ">"), let close = form[..<end].lastIndex(of: ")") else { return }
      let text = form[form.index(after: close)..<end]
      item.expressions.append(
        OrgDiaryLine(expression: String(form[...close]), text: String(text), isTimestamp: true, offset: offset))
      rest = form[form.index(after: end)...]
    }
  }

  private static func readExpression(_ line: Bytes, at offset: Int, into item: inout OrgItem.Facts) {
    let text = line.string
    guard let open = text.firstIndex(of: "("), let close = text.closingBracket(from: open) else { return }
    let behind = text[text.index(after: close)...].trimmedBlanks
    item.expressions.append(
      OrgDiaryLine(expression: String(text[open...close]), text: String(behind), isTimestamp: false, offset: offset))
  }

  /// Reads a clock line or a state change; returns false for other lines.
  private func readLog(_ content: Bytes, into item: inout OrgItem.Facts) -> Bool {
    if LogItem.isClock(content) {
      let stamps = content.inactiveTimestamps.compactMap { OrgTimestamp($0) }
      guard let start = stamps.first else { return false }
      let duration = content.string.range(behind: "=>").map { content.string[$0...].trimmedBlanks }
      let end = stamps.count > 1 ? stamps[1] : nil
      item.log.append(OrgLogEntry(kind: .clock(end: end, duration: duration.map(String.init)), time: start))
      return true
    }
    guard content.first == UInt8(ascii: "-"), let state = content.string.stateChange,
      keywords.contains(Array(state.utf8).span),
      let stamp = content.inactiveTimestamps.last.flatMap({ OrgTimestamp($0) })
    else { return false }
    item.dates.append(OrgItem.Date(first: stamp, last: nil))
    item.log.append(OrgLogEntry(kind: .state(state, isDone: keywords.isDone(Array(state.utf8)[...])), time: stamp))
    return true
  }
}

extension OrgLogEntry {
  /// Returns true if the next line can be a note of the entry.
  fileprivate func isContinued(by line: Bytes) -> Bool {
    switch kind {
    case .clock: line.span.has("- ", at: 0) && !line.string.hasPrefix("- State \"")
    case .state: line.first != UInt8(ascii: "-") && line.first != .colon && line.first != UInt8(ascii: "C")
    }
  }
}

extension Bytes {
  /// The text of a note without the bullet.
  fileprivate var note: String {
    let text = string
    return text.hasPrefix("- ") ? String(text.dropFirst(2).trimmedBlanks) : text
  }
}

extension StringProtocol {
  /// Returns the index behind the first occurrence of a text.
  func range(behind text: String) -> Index? {
    guard let first = text.first else { return nil }
    var start = startIndex
    while let found = self[start...].firstIndex(of: first) {
      if self[found...].hasPrefix(text) { return index(found, offsetBy: text.count) }
      start = index(after: found)
    }
    return nil
  }

  /// The text without outer blanks.
  var trimmedBlanks: SubSequence {
    var text = self[...]
    while text.first?.isWhitespace ?? false { text = text.dropFirst() }
    while text.last?.isWhitespace ?? false { text = text.dropLast() }
    return text
  }

  /// Returns the index of the bracket that closes the one at `open`; brackets in strings do not count.
  func closingBracket(from open: Index) -> Index? {
    var (depth, isQuoted, place) = (0, false, open)
    while place < endIndex {
      switch self[place] {
      case "\\" where isQuoted: place = index(after: place)
      case "\"": isQuoted.toggle()
      case "(" where !isQuoted: depth += 1
      case ")" where !isQuoted:
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
      guard place < endIndex else { return nil }
      place = index(after: place)
    }
    return nil
  }

  /// The state in `- State "DONE" from "TODO" [2026-03-06 Fri 18:00]`.
  fileprivate var stateChange: String? {
    let text = dropFirst().drop { $0 == " " || $0 == "\t" }
    guard text.hasPrefix("State \"") else { return nil }
    let state = text.dropFirst(7)
    return state.firstIndex(of: "\"").map { String(state[..<$0]) }
  }
}
