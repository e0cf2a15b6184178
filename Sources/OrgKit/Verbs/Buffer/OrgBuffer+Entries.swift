// The outline of a buffer: entries by the position of their headlines.

extension OrgBuffer {
  /// Returns the level of the headline that begins at a position; nil if none does.
  func level(at position: Int) -> Int? {
    var end = position
    while end < count, text[end] == .star { end += 1 }
    return end > position && end < count && text[end] == .space && isLineStart(position) ? end - position : nil
  }

  /// Returns the headline of the entry that contains a position; nil above the first one.
  func heading(containing position: Int) -> Int? {
    var start = lineStart(position)
    while true {
      if level(at: start) != nil { return start }
      if start == 0 { return nil }
      start = lineStart(start - 1)
    }
  }

  /// Returns the next headline below the line of a position, or the end of the text.
  func nextHeading(_ position: Int) -> Int {
    let bytes = text.span
    var line = bytes.lineEnd(from: min(position, count), to: count) + 1
    while line < count {
      if bytes[line] == .star, level(at: line) != nil { return line }
      line = bytes.lineEnd(from: line, to: count) + 1
    }
    return count
  }

  /// Returns the end of the subtree: the next headline that is not deeper, or the end of the text.
  func subtreeEnd(_ heading: Int) -> Int {
    let own = level(at: heading) ?? 0
    var next = nextHeading(heading)
    while next < count, let level = level(at: next), level > own { next = nextHeading(next) }
    return next
  }

  /// Returns the headline of the parent: the nearest one above with a lower level.
  func parent(_ heading: Int) -> Int? {
    guard let own = level(at: heading), own > 1 else { return nil }
    var start = heading
    while start > 0 {
      start = lineStart(start - 1)
      if text[start] == .star, let level = level(at: start), level < own { return start }
    }
    return nil
  }

  /// Returns the headlines from the top level down to an entry.
  func ancestors(_ heading: Int) -> [Int] {
    var chain = [heading]
    while let parent = parent(chain[0]) { chain.insert(parent, at: 0) }
    return chain
  }

  /// Returns the headlines directly below an entry, whatever their levels; of the file without one.
  func children(_ heading: Int?) -> [Int] {
    var child = heading.map(nextHeading) ?? firstHeading
    let end = heading.map(subtreeEnd) ?? count
    var children: [Int] = []
    while child < end {
      children.append(child)
      child = subtreeEnd(child)
    }
    return children
  }

  /// All headlines of the text.
  var headings: [Int] { headings(in: 0..<count) }

  /// Returns the headlines in a range.
  func headings(in range: Range<Int>) -> [Int] {
    var found: [Int] = []
    var next = level(at: range.lowerBound) != nil ? range.lowerBound : nextHeading(range.lowerBound)
    while next < range.upperBound {
      found.append(next)
      next = nextHeading(next)
    }
    return found
  }

  /// The first headline, or the end of the text.
  var firstHeading: Int { level(at: 0) != nil ? 0 : nextHeading(0) }
}

// MARK: - Meta data

extension OrgBuffer {
  /// Returns the start of the planning line of an entry.
  func planningLine(_ heading: Int) -> Int? {
    let next = lineEnd(heading) + 1
    return next < count && Planning.isOne(line(next)) ? next : nil
  }

  /// Returns the position below headline and planning line.
  func planningEnd(_ heading: Int) -> Int { nextLine(planningLine(heading) ?? heading) }

  /// Returns the property drawer of an entry.
  func propertyDrawer(_ heading: Int?) -> PropertyBlock? {
    let start = heading.map(planningEnd) ?? preambleDrawerStart
    guard start < count, isLineStart(start) else { return nil }
    guard line(start).trimmed.equals(ignoringCase: ":properties:") else { return nil }
    var position = nextLine(start)
    while position < count {
      let line = line(position)
      if line.trimmed.equals(ignoringCase: ":end:") {
        return PropertyBlock(start: start, contents: nextLine(start)..<position, end: nextLine(position))
      }
      guard PropertyDrawer.Property(line) != nil else { return nil }
      position = lineEnd(position) + 1
    }
    return nil
  }

  /// The drawer of a file stands below its first comments and blank lines.
  private var preambleDrawerStart: Int {
    var position = 0
    while position < count {
      let line = line(position).trimmedLeft
      guard line.isEmpty || line.first == UInt8(ascii: "#") && (line.count == 1 || line[line.startIndex + 1].isBlank)
      else {
        break
      }
      position = lineEnd(position) + 1
    }
    return min(position, count)
  }

  /// The positions of a property drawer.
  struct PropertyBlock {
    /// The start of `:PROPERTIES:`.
    let start: Int
    /// The lines of the properties.
    let contents: Range<Int>
    /// The start of the line below `:END:`.
    let end: Int
  }

  /// Returns the position below headline, planning line and property drawer.
  func metaDataEnd(_ heading: Int) -> Int { propertyDrawer(heading)?.end ?? planningEnd(heading) }

  /// Returns the position below all meta data: also clock lines, blank lines and drawers for logs.
  func fullMetaDataEnd(_ heading: Int, allDrawers: Bool) -> Int {
    let end = nextHeading(heading)
    var position = metaDataEnd(heading)
    guard level(at: position) == nil else { return position }
    while position < count {
      let line = line(position)
      if line.isBlank || line.trimmedLeft.starts(with: "CLOCK:".utf8) {
        position = nextLine(position)
        if level(at: position) != nil { break }
      } else if let name = BlockScanner.drawerName(line.trimmedLeft),
        allDrawers || name == Array("logbook".utf8) || name == Array("clock".utf8),
        let close = drawerEnd(position, before: end)
      {
        position = close
      } else {
        break
      }
    }
    return position
  }

  /// Returns the start of the line below the `:END:` of a drawer.
  func drawerEnd(_ position: Int, before end: Int) -> Int? {
    var position = nextLine(position)
    while position < end {
      if line(position).trimmed.equals(ignoringCase: ":end:") { return nextLine(position) }
      position = lineEnd(position) + 1
    }
    return nil
  }

  /// Returns the position below the end line of a block.
  func blockEnd(_ start: Int, before end: Int) -> Int? {
    let name = line(start).trimmed.dropFirst(8).prefix { !$0.isBlank }.lowercased
    let close = Array("#+end_".utf8) + name
    var position = nextLine(start)
    while position < end {
      if line(position).trimmed.lowercased == close { return nextLine(position) }
      position = lineEnd(position) + 1
    }
    return nil
  }

  /// Returns the properties of an entry in order, or of the file.
  func properties(_ heading: Int?) -> [PropertyDrawer.Property] {
    guard let drawer = propertyDrawer(heading) else { return [] }
    return text[drawer.contents].lines.compactMap { PropertyDrawer.Property($0) }
  }
}
