/// A conflict as an earlier merge listed it in the drawer of an entry: two lines with the values to choose from.
struct ListedConflict {
  /// The name of the field, as in `FieldConflict`.
  let name: [UInt8]
  /// The values; nil for none.
  let values: [[UInt8]?]
  /// The lines in the drawer, without the white space that does not count.
  let lines: [[UInt8]]

  /// Returns the conflicts in a drawer of this name.
  static func list(in section: Lines, drawer: String) -> [ListedConflict] {
    guard let content = content(of: drawer, in: section) else { return [] }
    var found: [ListedConflict] = []
    var place = content.lowerBound
    while place + 1 < content.upperBound {
      if let conflict = ListedConflict(section[place], section[place + 1]) {
        found.append(conflict)
        place += 2
      } else {
        place += 1
      }
    }
    return found
  }

  /// Returns the places of the lines inside the first drawer of this name.
  static func content(of drawer: String, in section: Lines) -> Range<Int>? {
    let name = Array(drawer.utf8)[...].lowercased
    guard let start = section.firstIndex(where: { BlockScanner.drawerName($0) == name }),
      let end = section[start...].firstIndex(where: { $0.trimmed.equals(ignoringCase: ":end:") })
    else { return nil }
    return start + 1..<end
  }

  private init?(_ one: Bytes, _ other: Bytes) {
    guard let first = Self.choice(one), let second = Self.choice(other), first.name == second.name else { return nil }
    name = first.name
    values = [first.value, second.value]
    lines = [one.collapsed, other.collapsed]
  }

  /// Returns true if a line of a drawer has a value of this conflict, ticked or not.
  func lists(_ line: Bytes) -> Bool {
    Self.choice(line).map { $0.name == name && values.contains($0.value) } ?? false
  }

  /// Splits `- [X] name: value` or `- [ ] name`.
  private static func choice(_ line: Bytes) -> (name: [UInt8], value: [UInt8]?)? {
    guard let marker = ListMarker(line), marker.box != nil else { return nil }
    let text = line[marker.contentStart...].collapsed
    guard let colon = text.indices.first(where: { text[$0...].starts(with: ": ".utf8) }) else { return (text, nil) }
    return (Array(text[..<colon]), Array(text[(colon + 2)...]))
  }
}

extension ListedConflict {
  /// The fields whose values are not lines of the text.
  private static let fields = ["keyword", "priority", "title", "scheduled", "deadline", "parent"].map { Array($0.utf8) }

  /// True if a field of the entry is in conflict, and not its text.
  var isOfField: Bool { Self.fields.contains(name) || name.starts(with: "property ".utf8) }

  /// True if the entry or file as a whole is in conflict.
  var isOfWhole: Bool { ["entry", "file"].contains { name.elementsEqual($0.utf8) } }

  /// Returns the lines of a text that are a value of this conflict: the first ones.
  func places(of value: [UInt8], in lines: [Bytes]) -> Range<Int>? {
    let text = value[...].blankingCookies[...].collapsed
    if let key { return header(key, text, in: lines) }
    for start in lines.indices where !lines[start].isBlank {
      for form in Self.forms {
        guard let end = Self.end(of: text, in: lines, from: start, form) else { continue }
        if !name.elementsEqual("item".utf8) { return start..<end }
        // An item that begins with the value is another one.
        if !Self.isText(lines, at: end, below: start) { return start..<Self.itemEnd(lines, start, end) }
      }
    }
    return nil
  }

  /// Returns true if a text has a value of this conflict.
  func isValue(_ value: [UInt8], in lines: [Bytes]) -> Bool {
    places(of: value, in: lines) != nil || setting(value, in: lines) != nil
  }

  /// Removes a value of this conflict from a text; its lines become empty.
  func remove(_ value: [UInt8], from lines: inout [Bytes]) {
    if let places = places(of: value, in: lines) {
      lines.blank(places)
    } else if let (place, line) = withoutSetting(value, in: lines) {
      lines[place] = line
    }
  }

  /// Returns the line with one of several settings of a `#+KEY:`, without it.
  func withoutSetting(_ value: [UInt8], in lines: [Bytes]) -> (place: Int, line: Bytes)? {
    setting(value, in: lines).map { place, word in
      let line = lines[place]
      return (place, (Array(line[..<word.startIndex]) + line[word.endIndex...].trimmedLeft)[...].trimmedRight)
    }
  }

  /// The key of the `#+KEY:` line in conflict, in lower case; nil for other conflicts.
  private var key: [UInt8]? {
    name.starts(with: "header ".utf8) ? name.dropFirst("header ".utf8.count).map(\.lowercased) : nil
  }

  /// Returns the line that is a `#+KEY:` with this value.
  private func header(_ key: [UInt8], _ text: [UInt8], in lines: [Bytes]) -> Range<Int>? {
    let place = lines.firstIndex { line in
      KeywordLine(line).map { $0.key.lowercased == key && $0.value.collapsed == text } ?? false
    }
    return place.map { $0..<$0 + 1 }
  }

  /// Returns one of several settings of a `#+KEY:` line, such as `toc:nil`.
  private func setting(_ value: [UInt8], in lines: [Bytes]) -> (place: Int, word: Bytes)? {
    guard let key else { return nil }
    for (place, line) in lines.enumerated() {
      guard let read = KeywordLine(line), read.key.lowercased == key else { continue }
      if let word = read.value.words.first(where: { $0.elementsEqual(value) }) { return (place, word) }
    }
    return nil
  }

  /// The forms in which lines are written in a drawer: without marker and tick, as cells, or unchanged.
  private static let forms: [@Sendable (Bytes) -> [UInt8]] = [
    { line in line[(ListMarker(line)?.contentStart ?? line.startIndex)...].blankingCookies[...].collapsed },
    { line in line.firstNonBlank == UInt8(ascii: "|") ? TableRow(line).meaning : [] },
    { line in line.blankingCookies[...].collapsed },
  ]

  private static func end(of text: [UInt8], in lines: [Bytes], from start: Int, _ form: (Bytes) -> [UInt8]) -> Int? {
    var joined: [UInt8] = []
    for place in start..<lines.count {
      let part = form(lines[place])
      if part.isEmpty, place == start { return nil }
      if part.isEmpty { continue }
      joined += (joined.isEmpty ? [] : [.space]) + part
      if joined == text { return place + 1 }
      if !text.starts(with: joined) { return nil }
    }
    return nil
  }

  /// Returns true if a line is text of the item that begins at `start`, and not a sub-item or another block.
  private static func isText(_ lines: [Bytes], at place: Int, below start: Int) -> Bool {
    guard place < lines.count, let first = lines[place].firstNonBlank, ListMarker(lines[place]) == nil else {
      return false
    }
    let isBlock = [UInt8(ascii: "#"), UInt8(ascii: "|"), .colon].contains(first)
    return !isBlock && lines[place].indentationWidth > lines[start].indentationWidth
  }

  /// Returns the end of an item with everything that is indented below its text.
  private static func itemEnd(_ lines: [Bytes], _ start: Int, _ end: Int) -> Int {
    let margin = lines[start].indentationWidth
    var last = end
    for place in end..<lines.count where !lines[place].isBlank {
      if lines[place].indentationWidth <= margin { break }
      last = place + 1
    }
    return last
  }
}
