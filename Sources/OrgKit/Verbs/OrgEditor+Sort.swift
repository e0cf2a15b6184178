extension OrgEditor {
  /// Sorts the children of the entry, or the entries at the top of the file.
  mutating func sortEntries(_ sort: OrgSort) throws(Refusal) {
    var end = heading.map(buffer.subtreeEnd) ?? buffer.count
    if end > 0, !buffer.isLineStart(end) {
      buffer.insert("\n", at: end)
      end += 1
    }
    if heading != nil {
      // The blank lines at the end stay behind the sorted entries, but for the first one.
      let start = emptyLinesStart(end)
      if start < end { end = buffer.nextLine(start) }
    }
    let first = heading.map(buffer.nextHeading) ?? buffer.firstHeading
    guard first < end, let level = buffer.level(at: first) else { throw Refusal(.notFound, "Nothing to sort") }
    let starts = buffer.headings(in: first..<end).filter { (buffer.level(at: $0) ?? 0) <= level }
    guard starts.allSatisfy({ buffer.level(at: $0) == level }) else {
      throw Refusal(.invalid, "Region to sort contains a level above the first entry")
    }
    let property = sort.property
    var records: [(key: SortKey, text: [UInt8])] = []
    for (index, start) in starts.enumerated() {
      let stop = index + 1 < starts.count ? starts[index + 1] : end
      records.append((try key(of: start, sort, property), Array(buffer.text[start..<stop])))
    }
    let sorted = Self.sorted(records, reversed: sort.isReversed)
    buffer.replace(first..<end, with: sorted.flatMap(\.text))
  }

  /// Sorts stably; reversed, equal records also change their order, as in Emacs.
  static func sorted<Text>(_ records: [(key: SortKey, text: Text)], reversed: Bool) -> [(key: SortKey, text: Text)] {
    let source = reversed ? records.reversed() : records
    let ordered = source.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(
      \.element)
    return reversed ? ordered.reversed() : ordered
  }

  private mutating func key(of heading: Int, _ sort: OrgSort, _ property: String?) throws(Refusal) -> SortKey {
    let range = heading..<buffer.nextHeading(heading)
    switch sort.letter {
    case "a": return .text(sort.isCaseSensitive ? title(heading) : title(heading).lowercased())
    case "n": return .number(Self.leadingNumber(title(heading)))
    case "t": return .number(Double(stampMinutes(buffer.text[range]) ?? context.now.wallMinutes))
    case "c":
      let created = buffer.text[range].lines.first {
        $0.trimmedLeft.first == UInt8(ascii: "[") && !$0.inactiveTimestamps.isEmpty
      }
      return .number(Double(created.flatMap { Self.minutes($0.inactiveTimestamps.first) } ?? context.now.wallMinutes))
    case "s": return .number(Double(planningMinutes(.scheduled, range) ?? context.now.wallMinutes))
    case "d": return .number(Double(planningMinutes(.deadline, range) ?? context.now.wallMinutes))
    case "p": return .number(Double(priorityCode(heading)))
    case "r":
      guard let property else { throw Refusal(.question, "Property to sort by") }
      return .text(localProperty(property, heading) ?? "")
    case "o":
      let states = options.states
      let name = keyword(heading)
      let rest =
        name.flatMap { name in states.states.firstIndex { $0.name == name } }.map { states.states.count - $0 } ?? 0
      return .number(Double(99 - (states.isDone(name) ? -rest : rest)))
    case "k":
      return .number(Double(ClockSum(buffer, context.zone, now: context.now).minutes[heading] ?? 0))
    default: throw Refusal(.invalid, "Invalid sorting type \(sort.key)")
    }
  }

  private mutating func priorityCode(_ heading: Int) -> Int {
    let line = buffer.line(heading)
    if let open = line.firstRange(of: Array("[#".utf8)), let code = line[open.upperBound...].first { return Int(code) }
    return value("org-priority-default", default: .number(66)).number ?? 66
  }

  private func planningMinutes(_ kind: Planning.Kind, _ range: Range<Int>) -> Int? {
    Self.planningItem(kind, in: buffer.text[range]).flatMap {
      Self.minutes(buffer.text[$0].firstTimestamp(isActive: true))
    }
  }

  /// Returns the time of the first active timestamp, or of the first inactive one.
  func stampMinutes(_ text: Bytes) -> Int? {
    Self.minutes(text.firstTimestamp(isActive: true) ?? text.firstTimestamp(isActive: false))
  }

  static func minutes(_ stamp: Bytes?) -> Int? { stamp.flatMap { OrgTimestamp($0) }.map { OrgMoment($0).wallMinutes } }

  static func leadingNumber(_ text: String) -> Double {
    let word = text.drop { $0 == " " }.prefix { $0.isNumber || "+-.".contains($0) }
    return Double(word) ?? Double(word.prefix { $0.isNumber || $0 == "-" }) ?? 0
  }

  /// Sorts the items of the list of the place.
  mutating func sortList(_ sort: OrgSort) throws(Refusal) {
    guard let line, let list = ListStructure(at: line, in: buffer), let index = list.index(at: line) else {
      throw Refusal(.notFound, "no list item at this place")
    }
    let siblings = list.siblings(of: index)
    let starts = siblings.map { list.items[$0].start }
    guard let first = starts.first, let last = siblings.last else { return }
    let ends = siblings.map { buffer.skipWhiteSpaceBackwards(list.items[$0].end, to: list.items[$0].start) }
    var records: [(key: SortKey, text: [UInt8])] = []
    for (start, end) in zip(starts, ends) {
      records.append((try itemKey(start, sort), Array(buffer.text[start..<end])))
    }
    let sorted = Self.sorted(records, reversed: sort.isReversed)
    // What separates the items stays where it is.
    var text: [UInt8] = []
    for (place, record) in sorted.enumerated() {
      text += record.text
      if place + 1 < starts.count { text += buffer.text[ends[place]..<starts[place + 1]] }
    }
    buffer.replace(first..<(ends.last ?? list.items[last].end), with: text)
    try repairList(at: first)
  }

  private func itemKey(_ start: Int, _ sort: OrgSort) throws(Refusal) -> SortKey {
    let line = buffer.line(start)
    let text = ListMarker(anyBullet: line).map { line[$0.contentStart...].string } ?? ""
    switch sort.letter {
    case "a": return .text(sort.isCaseSensitive ? text : text.lowercased())
    case "n": return .number(Self.leadingNumber(text))
    case "t": return .number(Double(stampMinutes(line) ?? context.now.wallMinutes))
    case "x": return .text(ListStructure.item(at: start, in: buffer)?.box ?? "")
    default: throw Refusal(.invalid, "Invalid sorting type \(sort.key)")
    }
  }
}

/// A value to sort by.
enum SortKey: Comparable {
  case number(Double)
  case text(String)
}

extension OrgSort {
  /// True for a capital letter.
  var isReversed: Bool { key.isUppercase }

  var letter: String { key.lowercased() }
}
