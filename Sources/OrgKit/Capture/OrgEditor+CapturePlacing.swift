extension OrgEditor {
  /// Inserts the text of a template at its place, and returns where it is.
  mutating func insert(_ text: String, _ template: CaptureTemplate, _ place: CapturePlace) throws(Refusal) -> Range<Int>
  {
    switch template.kind {
    case .entry: try insertEntry(text, template, place)
    case .plain: insertPlain(text, template, place)
    case .item, .checkitem: try insertItem(text, template, place)
    case .table: insertTableLine(text, template, place)
    }
  }

  private mutating func insertEntry(_ text: String, _ template: CaptureTemplate, _ place: CapturePlace) throws(Refusal)
    -> Range<Int>
  {
    guard text.hasPrefix("*"), text.drop(while: { $0 == "*" }).first == " " else {
      throw Refusal(.invalid, "the template \(template.key) is not an entry: it does not begin with a star")
    }
    var position: Int
    var level = 1
    if let heading = place.heading {
      level = (buffer.level(at: heading) ?? 0) + 1
      position = template.isPrepended ? buffer.nextHeading(heading) : buffer.subtreeEnd(heading)
    } else if let exact = place.exact {
      position = exact
      if !template.isPrepended { position = buffer.nextHeading(exact) }
    } else {
      position = template.isPrepended ? buffer.firstHeading : buffer.count
    }
    position = setEmptyLinesBefore(position, template.emptyLines("before"))
    let start = pasteSubtree(Array(text.utf8), at: position, level: level)
    let end = min(buffer.nextHeading(start), buffer.count)
    let last = buffer.mark(end)
    setEmptyLinesAfter(end, template.emptyLines("after"))
    return start..<buffer[last]
  }

  private mutating func insertPlain(_ text: String, _ template: CaptureTemplate, _ place: CapturePlace) -> Range<Int> {
    var position: Int
    if let exact = place.exact {
      position = exact
    } else if let heading = place.heading {
      position = template.isPrepended ? buffer.fullMetaDataEnd(heading, allDrawers: true) : buffer.nextHeading(heading)
    } else {
      position = template.isPrepended ? 0 : buffer.count
    }
    position = setEmptyLinesBefore(position, template.emptyLines("before"))
    let line = text.hasSuffix("\n") ? text : text + "\n"
    buffer.insert(line, at: position)
    let end = position + line.utf8.count
    setEmptyLinesAfter(end, template.emptyLines("after"))
    return position..<end
  }

  // MARK: Empty lines

  /// Begins a line, and gives it this number of empty lines above it.
  private mutating func setEmptyLinesBefore(_ position: Int, _ count: Int) -> Int {
    var position = position
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let start = emptyLinesStart(position)
    buffer.replace(start..<position, with: String(repeating: "\n", count: count))
    return start + count
  }

  private mutating func setEmptyLinesAfter(_ position: Int, _ count: Int) {
    let start = emptyLinesStart(position)
    var end = start
    while end < buffer.count, buffer.isBlankLine(end), buffer.lineEnd(end) < buffer.count { end = buffer.nextLine(end) }
    buffer.replace(start..<end, with: String(repeating: "\n", count: count))
  }

  // MARK: Items

  private mutating func insertItem(_ text: String, _ template: CaptureTemplate, _ place: CapturePlace) throws(Refusal)
    -> Range<Int>
  {
    let range = itemRange(place)
    let list = firstList(in: range)
    let isPrepended = template.isPrepended
    let item = Self.itemText(text, bullet: isPrepended ? list?.items[0].bullet : nil)
    var position = list.map { isPrepended ? $0.items[0].start : $0.end } ?? itemPosition(range, place, isPrepended)
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    if !(list != nil && isPrepended) {
      position = setEmptyLinesBefore(
        position, list == nil ? template.emptyLines("before") : min(1, template.emptyLines("before")))
    }
    let indentation = String(repeating: " ", count: list?.items[0].indentation ?? 0)
    let lines = item.split(separator: "\n", omittingEmptySubsequences: false).map { indentation + $0 + "\n" }.joined()
    buffer.insert(lines, at: position)
    let end = buffer.mark(position + lines.utf8.count)
    if list != nil { try repairList(at: position) }
    if !(list != nil && !isPrepended) {
      setEmptyLinesAfter(buffer[end], list == nil ? template.emptyLines("after") : min(1, template.emptyLines("after")))
    }
    return position..<max(buffer[end], position)
  }

  /// The text as an item; further lines are indented. With the bullet of a list, it is numbered if the list is.
  private static func itemText(_ text: String, bullet: String?) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.allSatisfy(\.isWhitespace) ?? false { lines.removeLast() }
    let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    lines = lines.map { String($0.dropFirst(min(margin, $0.prefix { $0 == " " }.count))) }
    if let first = lines.first, ListMarker(Array(first.utf8)[...]) == nil {
      lines = ["- " + first] + lines.dropFirst().map { "  " + $0 }
    }
    if let bullet, let first = lines.first, let marker = ListMarker(Array(first.utf8)[...]) {
      let isNumbered = bullet.first?.isNumber ?? false
      if isNumbered != (marker.number != nil) {
        lines[0] = (isNumbered ? "1." : "-") + String(first.dropFirst(marker.bullet.count))
      }
    }
    return lines.joined(separator: "\n")
  }

  private func itemRange(_ place: CapturePlace) -> Range<Int> {
    if let exact = place.exact {
      return buffer.lineStart(exact)..<max(buffer.lineStart(exact), buffer.nextHeading(exact))
    }
    guard let heading = place.heading else { return 0..<buffer.count }
    return buffer.nextLine(heading)..<max(buffer.nextLine(heading), buffer.nextHeading(heading))
  }

  private func firstList(in range: Range<Int>) -> ListStructure? {
    var position = range.lowerBound
    while position < range.upperBound {
      let line = buffer.line(position).trimmedLeft
      if line.hasPrefix(ignoringCase: "#+begin_"), let close = buffer.blockEnd(position, before: range.upperBound) {
        position = close
      } else if let list = ListStructure(at: position, in: buffer) {
        return list
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
    return nil
  }

  private func itemPosition(_ range: Range<Int>, _ place: CapturePlace, _ isPrepended: Bool) -> Int {
    guard isPrepended else { return range.upperBound }
    guard let heading = buffer.heading(containing: range.lowerBound) else { return range.lowerBound }
    return max(buffer.metaDataEnd(heading), range.lowerBound)
  }

  // MARK: Tables

  private mutating func insertTableLine(_ text: String, _ template: CaptureTemplate, _ place: CapturePlace) -> Range<
    Int
  > {
    let range = itemRange(place)
    let table = firstTable(in: range) ?? insertTable(at: range.upperBound)
    var position = table.upperBound
    if let line = Self.tableLine(template.option(":table-line-pos").text, buffer, table) {
      position = line
    } else if template.isPrepended {
      position = prependedRow(table)
    }
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let row = text.trimmingSpaces + "\n"
    buffer.insert(row, at: position)
    return position..<position + row.utf8.count
  }

  private func firstTable(in range: Range<Int>) -> Range<Int>? {
    var position = range.lowerBound
    while position < range.upperBound {
      if buffer.line(position).firstNonBlank == UInt8(ascii: "|") { return buffer.tableRows(at: position) }
      position = buffer.lineEnd(position) + 1
    }
    return nil
  }

  private mutating func insertTable(at position: Int) -> Range<Int> {
    var start = position
    if !buffer.isLineStart(start) {
      buffer.insert("\n", at: start)
      start += 1
    }
    let text = "|   |\n|---|\n"
    buffer.insert(text, at: start)
    return start..<start + text.utf8.count
  }

  private func prependedRow(_ table: Range<Int>) -> Int {
    var (position, isBehindRule) = (table.lowerBound, false)
    while position < table.upperBound {
      let isRule = buffer.line(position).trimmedLeft.starts(with: "|-".utf8)
      if isBehindRule, !isRule { return position }
      if isRule { isBehindRule = true }
      position = buffer.nextLine(position)
    }
    return isBehindRule ? table.upperBound : table.lowerBound
  }

  /// Returns the line that `II-3` names: relative to the second rule.
  private static func tableLine(_ text: String?, _ buffer: OrgBuffer, _ table: Range<Int>) -> Int? {
    guard let text else { return nil }
    let rules = text.prefix { $0 == "I" }.count
    guard rules > 0, let delta = Int(written: text.dropFirst(rules)) else { return nil }
    var lines: [Int] = []
    var position = table.lowerBound
    while position < table.upperBound {
      lines.append(position)
      position = buffer.nextLine(position)
    }
    let places = lines.indices.filter { buffer.line(lines[$0]).trimmedLeft.starts(with: "|-".utf8) }
    guard rules <= places.count else { return nil }
    let line = places[rules - 1] + delta + (delta < 0 ? 1 : 0)
    guard line < lines.count else { return table.upperBound }
    return lines[max(0, line)]
  }
}

extension String {
  /// The text without outer white space.
  var trimmingSpaces: String {
    var text = self[...]
    while text.first?.isWhitespace ?? false { text.removeFirst() }
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return String(text)
  }
}
