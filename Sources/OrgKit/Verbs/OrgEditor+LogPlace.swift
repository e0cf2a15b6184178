extension OrgEditor {
  /// Returns the start of the line where a log item of an entry goes; the drawer is made if missing.
  mutating func logBeginning(_ position: Int) -> Int {
    let heading = buffer.heading(containing: position) ?? 0
    let isNewestFirst = isOn("org-log-states-order-reversed", default: true)
    guard let drawer = logDrawer(heading) else {
      return logBeginningInText(heading, isNewestFirst: isNewestFirst)
    }
    let start = buffer.metaDataEnd(heading)
    let end = buffer.level(at: start) == nil ? buffer.nextHeading(start) : start
    if let found = findDrawer(drawer, from: start, to: end) {
      guard !isNewestFirst, let close = buffer.drawerEnd(found, before: end) else { return buffer.nextLine(found) }
      return buffer.previousLine(close)
    }
    return insertDrawer(drawer, at: start)
  }

  /// Inserts an empty drawer and returns the start of its `:END:` line.
  mutating func insertDrawer(_ name: String, at position: Int) -> Int {
    var position = position
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let indentation = String(repeating: " ", count: firstLineIndentation(at: position))
    buffer.insert("\(indentation):\(name):\n\(indentation):END:\n", at: position)
    return buffer.nextLine(position)
  }

  /// Returns the start of a drawer with this name.
  func findDrawer(_ name: String, from start: Int, to end: Int) -> Int? {
    var position = start
    while position < end {
      let line = buffer.line(position).trimmed
      if let found = BlockScanner.drawerName(line) {
        guard let close = buffer.drawerEnd(position, before: end) else { return nil }
        if found == Array(name.lowercased().utf8) { return position }
        position = close
      } else if line.hasPrefix(ignoringCase: "#+begin_"), let close = buffer.blockEnd(position, before: end) {
        position = close
      } else {
        position = buffer.lineEnd(position) + 1
      }
    }
    return nil
  }

  private mutating func logBeginningInText(_ heading: Int, isNewestFirst: Bool) -> Int {
    let full = isOn("org-log-state-notes-insert-after-drawers")
    var position = full ? buffer.fullMetaDataEnd(heading, allDrawers: false) : buffer.metaDataEnd(heading)
    position = buffer.lineStart(buffer.skipWhiteSpace(position))
    if !isNewestFirst {
      position = skipStateNotes(position)
      let end = buffer.skipWhiteSpaceBackwards(position)
      position = buffer.lineEnd(end) < buffer.count ? buffer.lineEnd(end) + 1 : buffer.count
    }
    return buffer.isLineStart(position) ? position : buffer.nextLine(position)
  }

  private func skipStateNotes(_ start: Int) -> Int {
    var position = start
    while position < buffer.count, Self.isStateNote(buffer.line(position)) {
      let indentation = buffer.line(position).indentationWidth
      var next = buffer.nextLine(position)
      while next < buffer.count, !buffer.isBlankLine(next), buffer.level(at: next) == nil,
        buffer.line(next).indentationWidth > indentation
      {
        next = buffer.nextLine(next)
      }
      position = next
    }
    return position
  }

  private static func isStateNote(_ line: Bytes) -> Bool {
    let content = line.trimmedLeft
    guard content.starts(with: "- ".utf8) else { return false }
    let words = content.words
    return words.count > 2 && words[1].elementsEqual("State".utf8) && content.inactiveTimestamps.count > 0
  }

  /// Returns the name of the drawer for logs of an entry; nil if there is none.
  mutating func logDrawer(_ heading: Int) -> String? {
    switch inheritedProperty("LOG_INTO_DRAWER", heading) {
    case .some("nil"): return nil
    case .some("t"): return "LOGBOOK"
    case .some(let name): return name
    case .none:
      let value = value("org-log-into-drawer")
      return value.text ?? (value.isTrue ? "LOGBOOK" : nil)
    }
  }

  // MARK: Indentation

  /// Returns the indentation of the first line of an element that begins at a position.
  mutating func firstLineIndentation(at position: Int) -> Int {
    guard let heading = buffer.heading(containing: max(0, position - 1)) else { return 0 }
    if let drawer = enclosingDrawer(of: position, in: heading) { return buffer.line(drawer).indentationWidth }
    guard value("org-adapt-indentation") == .yes else { return contentIndentation(heading) }
    return expectedIndentation(at: position)
  }

  /// Returns the start of the drawer that a position is in.
  private func enclosingDrawer(of position: Int, in heading: Int) -> Int? {
    let end = buffer.nextHeading(heading)
    var start = buffer.metaDataEnd(heading)
    while start < position {
      guard BlockScanner.drawerName(buffer.line(start).trimmed) != nil, let close = buffer.drawerEnd(start, before: end)
      else {
        start = buffer.lineEnd(start) + 1
        continue
      }
      if position < close { return start }
      start = close
    }
    return nil
  }

  /// Returns the indentation that Org gives an empty line: that of the line above.
  mutating func expectedIndentation(at position: Int) -> Int {
    guard let heading = buffer.heading(containing: max(0, position - 1)) else { return 0 }
    let above = buffer.lineStart(buffer.skipWhiteSpaceBackwards(position))
    return above == heading ? contentIndentation(heading) : buffer.line(above).indentationWidth
  }

  /// Returns the indentation of text below a headline.
  mutating func contentIndentation(_ heading: Int) -> Int {
    isOn("org-adapt-indentation") ? (buffer.level(at: heading) ?? 0) + 1 : 0
  }

  /// Returns the indentation of the list that an empty line would continue; nil outside lists.
  func listIndentation(at position: Int) -> Int? {
    var reference = Int.max
    var line = position
    var blanks = 0
    var found: Int?
    while line > 0 {
      line = buffer.lineStart(line - 1)
      let text = buffer.line(line)
      if buffer.level(at: line) != nil { break }
      if text.isBlank {
        blanks += 1
        if blanks == 2 { break }
        continue
      }
      blanks = 0
      let indentation = text.indentationWidth
      if ListMarker(text) != nil, indentation < reference {
        found = indentation
        reference = indentation
        if indentation == 0 { break }
      } else if BlockScanner.drawerName(text.trimmed) != nil || text.trimmed.equals(ignoringCase: ":end:") {
        break
      } else {
        reference = min(reference, indentation)
        if reference == 0 { break }
      }
    }
    return found
  }
}
