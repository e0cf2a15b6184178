extension OrgEditor {
  /// Updates the cookies that count checkboxes: of the entry, or of the whole file.
  mutating func updateCheckboxCount(all: Bool, at position: Int) {
    guard isOn("org-checkbox-statistics", default: true) else { return }
    let entry = buffer.heading(containing: position)
    let data = localProperty("COOKIE_DATA", entry) ?? ""
    guard !data.hasWord("todo") else { return }
    let isRecursive = !isOn("org-checkbox-hierarchical-statistics", default: true) || data.hasWord("recursive")
    // At a headline, Org begins with the entry before it.
    let start = position > 0 && entry == position ? buffer.heading(containing: position - 1) ?? 0 : entry ?? 0
    let range = all ? 0..<buffer.count : start..<buffer.nextHeading(position)
    let counts = cookies(in: range).compactMap { cookie in
      count(for: cookie, isRecursive).map { (cookie, $0) }
    }
    for (cookie, count) in counts.reversed() {
      writeCookie(cookie, done: count.done, all: count.all)
      let line = buffer.lineStart(cookie.lowerBound)
      if buffer.level(at: line) != nil { alignTagsIfWanted(line) }
    }
  }

  /// Counts the boxes that a cookie stands for; nil if it is not a cookie but text of a block.
  private func count(for cookie: Range<Int>, _ isRecursive: Bool) -> (all: Int, done: Int)? {
    let line = buffer.lineStart(cookie.lowerBound)
    if isInVerbatimBlock(line) { return nil }
    if buffer.level(at: line) == nil, let item = enclosingItem(line), let list = ListStructure(at: item, in: buffer),
      let index = list.index(at: item)
    {
      return Self.count(isRecursive ? list.descendants(of: index) : list.children(of: index), of: list)
    }
    let heading = buffer.heading(containing: line)
    var (all, done) = (0, 0)
    for list in lists(from: heading.map(buffer.nextLine) ?? 0, to: buffer.nextHeading(heading ?? 0)) {
      let boxes = Self.count(isRecursive ? Array(list.items.indices) : list.siblings(of: 0), of: list)
      (all, done) = (all + boxes.all, done + boxes.done)
    }
    return (all, done)
  }

  private static func count(_ indices: [Int], of list: ListStructure) -> (all: Int, done: Int) {
    let boxes = indices.compactMap { list.items[$0].box }
    return (boxes.count, boxes.filter { $0 == "[X]" }.count)
  }

  /// Returns the item to whose own text a line belongs.
  private func enclosingItem(_ line: Int) -> Int? {
    if ListStructure.item(at: line, in: buffer) != nil { return line }
    var (position, reference) = (line, buffer.line(line).indentationWidth)
    while position > 0, reference > 0 {
      position = buffer.lineStart(position - 1)
      if buffer.level(at: position) != nil { return nil }
      if buffer.isBlankLine(position) { continue }
      let indentation = buffer.line(position).indentationWidth
      if indentation < reference {
        if ListStructure.item(at: position, in: buffer) != nil { return position }
        reference = indentation
      }
    }
    return nil
  }

  /// Returns the lists in a range that have checkboxes.
  private func lists(from start: Int, to end: Int) -> [ListStructure] {
    var found: [ListStructure] = []
    var position = start
    while position < end {
      let line = buffer.line(position)
      if line.trimmedLeft.hasPrefix(ignoringCase: "#+begin_"), isVerbatim(line),
        let close = buffer.blockEnd(position, before: end)
      {
        position = close
      } else if let list = ListStructure(at: position, in: buffer) {
        if list.items.contains(where: { $0.box != nil }) { found.append(list) }
        position = max(list.end, position + 1)
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
    return found
  }

  private func isVerbatim(_ line: Bytes) -> Bool {
    let name = line.trimmedLeft.dropFirst(8).prefix { !$0.isBlank }.lowercased.string
    return ["src", "example", "export", "comment"].contains(name)
  }

  private func isInVerbatimBlock(_ line: Int) -> Bool {
    var position = buffer.heading(containing: line) ?? 0
    while position < line {
      if buffer.line(position).trimmedLeft.hasPrefix(ignoringCase: "#+begin_"), isVerbatim(buffer.line(position)),
        let close = buffer.blockEnd(position, before: buffer.count)
      {
        if close > line { return true }
        position = close
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
    return false
  }

  /// Updates the cookies of the entry, or of the whole file.
  mutating func updateCookies(all: Bool) throws(Refusal) {
    if all {
      updateCheckboxCount(all: true, at: heading ?? 0)
      for mark in buffer.headings.map({ buffer.mark($0) }) { updateParentStatistics(buffer[mark]) }
      return
    }
    let heading = try entry()
    let next = buffer.nextHeading(heading)
    let section = buffer.text[heading..<next].lines
    let hasBoxes = section.contains { ListMarker(anyBullet: $0)?.box != nil }
    let countsStates = section.contains { line in
      line.firstRange(of: Array(":COOKIE_DATA:".utf8)) != nil && line.firstRange(of: Array("todo".utf8)) != nil
    }
    if hasBoxes, !countsStates {
      updateCheckboxCount(all: false, at: heading)
    } else if next < buffer.count, let level = buffer.level(at: next), level > buffer.level(at: heading) ?? 0 {
      updateParentStatistics(next)
    } else {
      for cookie in statisticsCookies(heading).reversed() {
        let isPercent = buffer.text[cookie].contains(UInt8(ascii: "%"))
        buffer.replace(cookie, with: isPercent ? "[100%]" : "[0/0]")
      }
    }
  }
}
