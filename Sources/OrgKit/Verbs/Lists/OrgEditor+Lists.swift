extension OrgEditor {
  /// Changes the checkbox of the item, or of all items of the entry.
  mutating func changeCheckbox(_ change: OrgCheckboxChange) throws(Refusal) {
    if change == .reset { return try resetCheckboxes() }
    guard let line, ListStructure.item(at: line, in: buffer) != nil else { return try changeAllCheckboxes(change) }
    guard var list = ListStructure(at: line, in: buffer), let index = list.index(at: line) else { return }
    let old = list
    if change == .radio || isRadioList(list) {
      chooseRadio(index, change, &list)
    } else {
      let box = Self.newBox(change, list.items[index].box)
      if list.items[index].box != nil || change == .add { list.items[index].box = box }
      let blocking = list.fixBoxes(isOrdered: localProperty("ORDERED", heading) != nil)
      if let blocking, list.items[blocking].start < line {
        let number = buffer.lineNumber(list.items[blocking].start)
        throw Refusal(.blocked, "Checkbox blocked because of unchecked box at line \(number)")
      }
    }
    list.write(over: old, in: &buffer)
    updateCheckboxCount(all: false, at: line)
  }

  private static func newBox(_ change: OrgCheckboxChange, _ old: String?) -> String? {
    switch change {
    case .partial: "[-]"
    case .add: old == nil ? "[ ]" : nil
    default: old == "[X]" ? "[ ]" : "[X]"
    }
  }

  private func isRadioList(_ list: ListStructure) -> Bool {
    var position = list.items[0].start
    while position > 0 {
      position = buffer.lineStart(position - 1)
      let line = buffer.line(position).trimmedLeft
      guard KeywordLine(line)?.isAffiliated ?? false else { return false }
      if line.hasPrefix(ignoringCase: "#+attr_org:"),
        let radio = line.words.firstIndex(where: { $0.elementsEqual(":radio".utf8) })
      {
        let words = line.words
        return radio + 1 < words.count && !words[radio + 1].elementsEqual("nil".utf8)
      }
    }
    return false
  }

  private mutating func chooseRadio(_ index: Int, _ change: OrgCheckboxChange, _ list: inout ListStructure) {
    let box = list.items[index].box
    let siblings = list.siblings(of: index)
    let removes = box != nil && change == .add && siblings.first == index
    for sibling in siblings { list.items[sibling].box = removes ? nil : "[ ]" }
    if !removes {
      switch change {
      case .add: list.items[index].box = box == nil ? "[ ]" : nil
      case .partial: list.items[index].box = box == nil ? "[-]" : nil
      default: list.items[index].box = box == "[X]" ? "[ ]" : "[X]"
      }
    }
    _ = list.fixBoxes(isOrdered: localProperty("ORDERED", heading) != nil)
  }

  /// Changes all boxes of the entry's own lists as the first one changes.
  private mutating func changeAllCheckboxes(_ change: OrgCheckboxChange) throws(Refusal) {
    let heading = try entry()
    let isOrdered = localProperty("ORDERED", heading) != nil
    var position = buffer.fullMetaDataEnd(heading, allDrawers: true)
    var box: String??
    while position < buffer.nextHeading(heading) {
      guard var list = ListStructure(at: position, in: buffer) else {
        position = buffer.lineEnd(position) + 1
        continue
      }
      let old = list
      let new: String? = box ?? Self.newBox(change, list.items[0].box)
      box = new
      for index in list.items.indices where list.items[index].box != nil || change == .add {
        list.items[index].box = new
      }
      _ = list.fixBoxes(isOrdered: isOrdered)
      let end = buffer.mark(list.end)
      list.write(over: old, in: &buffer)
      position = max(buffer[end], position + 1)
    }
    guard box != nil else { throw Refusal(.notFound, "the entry has no item") }
    updateCheckboxCount(all: false, at: heading)
  }

  private mutating func resetCheckboxes() throws(Refusal) {
    let heading = try entry()
    var position = heading
    while position < buffer.subtreeEnd(heading) {
      if let item = ListStructure.item(at: position, in: buffer), let box = item.box,
        let place = buffer.line(position).firstRange(of: Array(box.utf8))
      {
        buffer.replace(place, with: "[ ]")
      }
      position = buffer.lineEnd(position) + 1
    }
    let last = buffer.headings(in: heading..<buffer.subtreeEnd(heading)).last ?? heading
    updateCheckboxCount(all: true, at: last)
  }

  /// Inserts an item after the first line of the item of the place; its further lines and sub-items follow the new one.
  mutating func insertItem(_ text: String, checkbox: Bool) throws(Refusal) {
    guard let line, let list = ListStructure(at: line, in: buffer), let index = list.index(at: line) else {
      throw Refusal(.notFound, "no list item at this place")
    }
    let item = list.items[index]
    let blanks = String(repeating: "\n", count: blankLines(before: index, in: list))
    let bullet = ListStructure.withOneBlank(item.bullet)
    let new = String(repeating: " ", count: item.indentation) + bullet + (checkbox ? "[ ] " : "") + text
    let end = buffer.lineEnd(line)
    let isEmpty = buffer.text[line..<end].trimmed.count <= bullet.count - 1
    if isEmpty {
      buffer.insert(new + "\n" + blanks, at: line)
    } else {
      buffer.insert("\n" + blanks + new, at: end)
    }
    try repairList(at: isEmpty ? line : end + 1 + blanks.count)
    if checkbox { updateCheckboxCount(all: false, at: line) }
  }

  /// The number of blank lines between items of the list.
  private mutating func blankLines(before index: Int, in list: ListStructure) -> Int {
    let setting = blankLines("plain-list-item")
    if setting == .none { return 0 }
    if setting == .yes { return 1 }
    let siblings = list.siblings(of: index)
    let place = siblings.firstIndex(of: index) ?? 0
    if place + 1 < siblings.count { return blankLines(above: list.items[siblings[place + 1]].start) }
    if place > 0 { return blankLines(above: list.items[index].start) }
    let text = buffer.text[list.items[0].start..<buffer.skipWhiteSpaceBackwards(list.items[index].end)]
    return text.lines.contains { $0.isBlank } ? 1 : 0
  }

  /// Returns the number of blank lines above a line.
  func blankLines(above position: Int) -> Int {
    let end = buffer.skipWhiteSpaceBackwards(position)
    return buffer.text[end..<position].filter { $0 == .newline }.count - 1
  }

  /// Repairs the bullets, numbers, indentations and boxes of the list of the place.
  mutating func repairList() throws(Refusal) {
    guard let line else { throw Refusal(.notFound, "no list item at this place") }
    try repairList(at: line)
  }

  mutating func repairList(at line: Int) throws(Refusal) {
    guard let old = ListStructure(at: line, in: buffer) else { throw Refusal(.notFound, "This is not a list") }
    var list = old
    list.fixIndentation(bulletSize: 2)
    list.fixBullets()
    list.fixIndentation()
    _ = list.fixBoxes(isOrdered: false)
    list.write(over: old, in: &buffer)
  }
}
