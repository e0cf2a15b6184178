extension OrgEditor {
  /// Carries out a verb that moves, copies or orders entries, lists or blocks.
  mutating func performOnStructure(_ verb: OrgVerb) throws(Refusal) {
    switch verb {
    case .checkbox(let change): try changeCheckbox(change)
    case .insertItem(let text, let checkbox): try insertItem(text, checkbox: checkbox)
    case .repairList: try repairList()
    case .updateCookies(let all): try updateCookies(all: all)
    case .sort(let sort): try sortEntries(sort)
    case .sortList(let sort): try sortList(sort)
    case .promote(let alone): try changeLevel(by: -1, alone: alone)
    case .demote(let alone): try changeLevel(by: 1, alone: alone)
    case .move(let count): try moveEntry(by: count)
    case .delete: buffer.delete(try entry()..<buffer.subtreeEnd(try entry()))
    case .clone(let times, let shift): try clone(times: times, shift: shift)
    case .paste(let place, let below): try paste(to: place, below: below)
    case .insertHeading(let insertion, let title): try insertHeading(insertion, title)
    case .toggleHeading: try toggleHeading()
    default: try performOnFiles(verb)
    }
  }

  // MARK: Levels

  /// Changes the level of the entry, and of its subtree unless `alone`.
  mutating func changeLevel(by step: Int, alone: Bool) throws(Refusal) {
    let heading = try entry()
    if step < 0, buffer.level(at: heading) == 1 { throw Refusal(.invalid, "Cannot promote to level 0") }
    let end = alone ? buffer.nextHeading(heading) : buffer.subtreeEnd(heading)
    shiftLevels(in: heading..<end, by: step)
  }

  /// Changes the levels of all entries in a range.
  mutating func shiftLevels(in range: Range<Int>, by step: Int, isExact: Bool = false) {
    guard step != 0 else { return }
    let stars = isOn("org-odd-levels-only") && !isExact ? 2 : 1
    let isAligned = isOn("org-auto-align-tags", default: true)
    for heading in buffer.headings(in: range).reversed() {
      let level = buffer.level(at: heading) ?? 1
      let new = max(1, level + step * stars)
      let blank = heading + level
      buffer.replace(heading..<blank, with: String(repeating: "*", count: new))
      if isAligned { alignTags(heading) }
      if isOn("org-adapt-indentation") { shiftIndentation(heading, by: new - level) }
    }
  }

  /// Moves the text of an entry with its headline; text that would lose its indentation stays.
  private mutating func shiftIndentation(_ heading: Int, by step: Int) {
    var position = buffer.nextLine(heading)
    if let planning = buffer.planningLine(heading) {
      indentLine(planning, to: contentIndentation(heading))
      position = buffer.nextLine(planning)
    }
    if let drawer = buffer.propertyDrawer(heading) {
      let end = buffer.mark(drawer.end)
      while position < buffer[end] {
        alignProperty(position)
        indentLine(position, to: contentIndentation(heading))
        position = buffer.nextLine(position)
      }
    }
    guard value("org-adapt-indentation") == .yes else { return }
    let end = buffer.nextHeading(heading)
    let lines = buffer.text[min(position, end)..<end].lines.filter { !$0.isBlank }
    if step < 0, lines.contains(where: { $0.indentationWidth < -step }) { return }
    var starts: [Int] = []
    while position < end {
      if !buffer.isBlankLine(position) { starts.append(position) }
      position = buffer.lineEnd(position) + 1
    }
    for start in starts.reversed() { indentLine(start, to: buffer.line(start).indentationWidth + step) }
  }

  /// Writes a property with its value in the usual column.
  private mutating func alignProperty(_ start: Int) {
    guard let property = PropertyDrawer.Property(buffer.line(start)), !property.value.isEmpty else { return }
    let (key, value) = (property.key.string, property.value.string)
    let padding = String(repeating: " ", count: max(0, 8 - key.count))
    buffer.replace(property.line.trimmedLeft.startIndex..<property.line.endIndex, with: ":\(key):\(padding) \(value)")
  }

  private mutating func indentLine(_ start: Int, to width: Int) {
    let blanks = buffer.line(start).indentation
    buffer.replace(blanks.startIndex..<blanks.endIndex, with: String(repeating: " ", count: max(0, width)))
  }

  // MARK: Moving

  /// Moves the entry over its siblings; the blank lines below it move too.
  mutating func moveEntry(by count: Int) throws(Refusal) {
    let heading = try entry()
    let end = buffer.subtreeEnd(heading)
    let siblings = buffer.children(buffer.parent(heading)).filter { buffer.level(at: $0) == buffer.level(at: heading) }
    guard let place = siblings.firstIndex(of: heading), siblings.indices.contains(place + count) else {
      throw Refusal(.invalid, "Cannot move past superior level or buffer limit")
    }
    var target = siblings[place + count]
    if count > 0 {
      target = buffer.subtreeEnd(target)
      if !buffer.isLineStart(target) {
        buffer.insert("\n", at: target)
        target += 1
      }
    }
    let text = Array(buffer.text[heading..<end])
    let mark = buffer.mark(target)
    buffer.delete(heading..<end)
    let start = buffer[mark]
    buffer.insert(text, at: start)
    let newEnd = start + text.count
    if !buffer.isLineStart(newEnd) { buffer.insert("\n", at: newEnd) }
    self.heading = start
  }

  /// Returns the first position of the blank lines before one, unless Org keeps them.
  mutating func emptyLinesStart(_ position: Int) -> Int {
    guard blankLines("heading").isTrue else { return position }
    let text = buffer.skipWhiteSpaceBackwards(position)
    let end = buffer.lineEnd(text)
    return min(end < buffer.count ? end + 1 : buffer.count, position)
  }

  // MARK: Pasting

  /// Inserts a subtree at a position with its top on a level, and returns the start of its headline. Unless it `stays`, it
  /// goes to the next headline.
  @discardableResult
  mutating func pasteSubtree(_ text: [UInt8], at position: Int, level: Int, stays: Bool = false) -> Int {
    var position = position
    if !stays, !(buffer.isLineStart(position) && buffer.level(at: position) != nil) {
      position = buffer.nextHeading(position)
      if position > 0, !buffer.isLineStart(position) {
        buffer.insert("\n", at: position)
        position += 1
      }
    }
    var text = text
    if text.last != .newline { text.append(.newline) }
    let source = OrgBuffer(path: "", content: text)
    let old = source.level(at: source.firstHeading) ?? level
    buffer.insert(text, at: position)
    let start = buffer.skipWhiteSpace(position)
    let mark = buffer.mark(position + text.count)
    shiftLevels(in: start..<buffer[mark], by: level - old, isExact: true)
    return start
  }

  /// Cuts the entry and inserts it before another one, or below it.
  mutating func paste(to place: OrgPlace, below: Bool) throws(Refusal) {
    let heading = try entry()
    let end = buffer.subtreeEnd(heading)
    let text = Array(buffer.text[heading..<end])
    buffer.delete(heading..<end)
    try visit(place)
    let target = try entry()
    let level = buffer.level(at: target) ?? 1
    self.heading = pasteSubtree(text, at: below ? buffer.subtreeEnd(target) : target, level: below ? level + 1 : level)
  }

  // MARK: Inserting

  /// Inserts an entry beside the entry of the place, or below it.
  mutating func insertHeading(_ insertion: OrgInsertion, _ title: String) throws(Refusal) {
    guard !title.contains(where: \.isNewline) else { throw Refusal(.invalid, "a title has one line") }
    let heading = try entry()
    let stars = String(repeating: "*", count: buffer.level(at: heading) ?? 1)
    let needsBlank = isBlankBefore(heading)
    switch insertion {
    case .after: self.heading = insertAfter(heading, "\(stars) \(title)", needsBlank)
    case .before:
      if needsBlank { buffer.insert("\n", at: heading) }
      buffer.insert("\(stars) \(title)\n", at: heading)
      setBlankLines(needsBlank ? 1 : 0, before: heading, unlessEmpty: needsBlank)
      self.heading = buffer.level(at: heading) == nil ? buffer.nextHeading(heading) : heading
    case .child:
      let end = buffer.lineEnd(heading)
      buffer.insert((needsBlank ? "\n" : "") + "\n\(stars) \(title)", at: end)
      let new = end + (needsBlank ? 2 : 1)
      // The text of the entry belongs to the new one now, and moves with it.
      shiftLevels(in: new..<buffer.nextHeading(new), by: 1)
      self.heading = new
    case .lastChild:
      let stars = childStars(heading)
      self.heading = insertAfter(heading, "\(stars) \(title)", needsBlank)
    case .lastChildTask:
      let (state, stars) = (try stateForNewTask(heading, isFirst: true), childStars(heading))
      self.heading = insertTask(after: heading, "\(stars) \(state) \(title)", needsBlank)
    case .task, .firstTask:
      let state = try stateForNewTask(heading, isFirst: insertion == .firstTask)
      self.heading = insertTask(after: heading, "\(stars) \(state) \(title)", needsBlank)
    }
    effects.append(.entry(file: buffer.path, line: buffer.lineNumber(self.heading ?? heading)))
  }

  /// Returns the stars of a child: those of its siblings.
  private mutating func childStars(_ heading: Int) -> String {
    let level = buffer.children(heading).first.flatMap { buffer.level(at: $0) }
    return String(
      repeating: "*", count: level ?? (buffer.level(at: heading) ?? 0) + (isOn("org-odd-levels-only") ? 2 : 1))
  }

  private mutating func insertTask(after heading: Int, _ line: String, _ needsBlank: Bool) -> Int {
    let new = insertAfter(heading, line, needsBlank)
    let mark = buffer.mark(new)
    updateParentStatistics(new)
    return buffer[mark]
  }

  private mutating func stateForNewTask(_ heading: Int, isFirst: Bool) throws(Refusal) -> String {
    let states = options.states
    guard let first = states.states.first?.name else { throw Refusal(.invalid, "the file has no states") }
    let old = keyword(heading)
    return isFirst || !states.isOpen(old) ? first : old ?? first
  }

  /// Returns true if new entries are separated by a blank line, as this one is.
  private mutating func isBlankBefore(_ heading: Int) -> Bool {
    let setting = blankLines("heading")
    guard setting == .symbol("auto") else { return setting.isTrue }
    if heading > 0 { return buffer.isBlankLine(heading - 1) }
    let next = buffer.nextHeading(heading)
    if next < buffer.count { return buffer.isBlankLine(next - 1) }
    return buffer.count > 0 && buffer.text[buffer.count - 1] == .newline && buffer.isBlankLine(buffer.count - 1)
  }

  /// Returns the setting for blank lines before new headlines, or before list items: `auto` by default.
  mutating func blankLines(_ kind: String) -> OrgValue {
    guard let setting = value("org-blank-before-new-entry", default: .symbol("auto")).elements else {
      return .symbol("auto")
    }
    return setting.compactMap(\.pair).first { $0.first.symbol == kind }?.rest ?? .none
  }

  private mutating func insertAfter(_ heading: Int, _ line: String, _ needsBlank: Bool) -> Int {
    var position = endOfSubtree(heading)
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let isEmpty = position > 0 && buffer.isBlankLine(position - 1)
    if !(needsBlank && isEmpty) { position = setBlankLines(needsBlank ? 1 : 0, before: position, unlessEmpty: false) }
    buffer.insert(line, at: position)
    return position
  }

  /// Returns the end of the text of a subtree, before its last line feed and before one blank line.
  func endOfSubtree(_ heading: Int) -> Int {
    var end = buffer.subtreeEnd(heading)
    for _ in 1...2 where end > 0 && buffer.text[end - 1] == .newline { end -= 1 }
    return end
  }

  /// Gives a position exactly this number of blank lines before it, and returns its new place.
  @discardableResult
  private mutating func setBlankLines(_ count: Int, before position: Int, unlessEmpty: Bool) -> Int {
    let text = buffer.skipWhiteSpaceBackwards(position)
    let start = text == 0 ? 0 : min(buffer.lineEnd(text) + 1, position)
    if unlessEmpty, position > start { return position }
    buffer.replace(start..<position, with: String(repeating: "\n", count: count))
    return start + count
  }

  /// Makes a headline of a line of text or an item, or text of a headline.
  mutating func toggleHeading() throws(Refusal) {
    let start = buffer.lineStart(line ?? heading ?? 0)
    if let level = buffer.level(at: start) { return buffer.delete(start..<start + level + 1) }
    let level = (heading.flatMap { buffer.level(at: $0) } ?? 0) + 1
    let stars = String(repeating: "*", count: level) + " "
    let text = buffer.line(start)
    if let item = ListStructure.item(at: start, in: buffer), let marker = ListMarker(anyBullet: text) {
      let state = item.box == "[X]" ? "DONE " : item.box == nil ? "" : "TODO "
      return buffer.replace(start..<marker.contentStart, with: stars + state)
    }
    let content = text.trimmedLeft
    guard !content.isEmpty, content.first != UInt8(ascii: "#") else {
      throw Refusal(.invalid, "this line cannot become a headline")
    }
    buffer.replace(start..<content.startIndex, with: stars)
  }
}
