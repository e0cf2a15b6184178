extension OrgDocument {
  /// Replaces a range of bytes.
  mutating func replace(_ range: Range<Int>, with new: some Collection<UInt8>) {
    var bytes = bytes
    bytes.replaceSubrange(range, with: new)
    self = reread(bytes)
  }

  /// Inserts whole lines at the beginning of a line, or at the end of a file without a final newline.
  mutating func insert(lines: [[UInt8]], at position: Int) {
    let lineEnd = lineEnd
    var text = lines.flatMap { $0 + lineEnd }
    if position > 0, bytes[position - 1] != .newline { text = lineEnd + text.dropLast(lineEnd.count) }
    replace(position..<position, with: text)
  }

  /// Removes a line with its end.
  mutating func remove(line: Bytes) {
    let end = bytes[line.endIndex...].prefix { $0 == .carriageReturn || $0 == .newline }.endIndex
    let next = bytes[line.endIndex..<end].firstIndex(of: .newline).map { $0 + 1 } ?? end
    replace(line.startIndex..<next, with: [])
  }
}

extension OrgDocument {
  /// Appends entries to the children of `parent`, or to the file, and returns the position of the first.
  ///
  /// `text` is a headline, with or without stars, with its subtree; the stars are adapted to the new level.
  @discardableResult
  public mutating func append(_ text: String, below parent: OrgEntry.Index? = nil) -> OrgEntry.Index {
    let node = outline.nodes[parent?.node ?? 0]
    let source = text.utf8.first == .star ? text : "* \(text)"
    let entries = OrgDocument(source).shifted(toLevel: node.level + 1)
    let position = outline.nodes[node.subtreeEnd - 1].end
    insert(lines: entries[...].lines.map { Array($0.trimmedEnd) }, at: position)
    return OrgEntry.Index(node.subtreeEnd)
  }

  /// Removes an entry with its subtree and the blank lines above it.
  public mutating func remove(_ entry: OrgEntry.Index) {
    let node = outline.nodes[entry.node]
    replace(node.gapStart..<outline.nodes[node.subtreeEnd - 1].end, with: [])
  }

  /// Moves an entry with its subtree to the end of the children of `parent`, or of the file, and returns its new position; does
  /// nothing if `parent` is the entry itself or below it.
  @discardableResult
  public mutating func move(_ entry: OrgEntry.Index, below parent: OrgEntry.Index?) -> OrgEntry.Index {
    let node = outline.nodes[entry.node]
    let target = parent?.node ?? 0
    guard !(entry.node..<node.subtreeEnd).contains(target) else { return entry }
    let moved = OrgDocument(Array(self[entry].subtree)).shifted(toLevel: outline.nodes[target].level + 1)
    let gap = bytes[node.gapStart..<node.start]
    let count = node.subtreeEnd - entry.node
    let end = outline.nodes[target].subtreeEnd
    let lines = (Array(gap) + moved)[...].lines.map { Array($0.trimmedEnd) }
    let (from, to) = (node.gapStart..<outline.nodes[node.subtreeEnd - 1].end, outline.nodes[end - 1].end)
    if to <= from.lowerBound {
      replace(from, with: [])
      insert(lines: lines, at: to)
      return OrgEntry.Index(end)
    }
    insert(lines: lines, at: to)
    replace(from, with: [])
    return OrgEntry.Index(end - count)
  }

  /// Returns the entries shifted to another level; relative levels stay.
  private func shifted(toLevel level: Int) -> [UInt8] {
    guard outline.nodes.count > 1 else { return bytes }
    let shift = level - outline.nodes[1].level
    return outline.nodes.indices.dropFirst().flatMap { index in
      let old = outline.nodes[index].level
      let stars = Array(repeating: UInt8.star, count: max(1, old + shift))
      return Array(index > 1 ? outline.gap(index) : []) + stars + outline.entryWithoutStars(index)
    }
  }
}

extension ArraySlice<UInt8> {
  /// The line without a carriage return at its end.
  fileprivate var trimmedEnd: Bytes { last == .carriageReturn ? dropLast() : self }
}
