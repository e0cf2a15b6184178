extension OrgEntry {
  /// The text below planning line and property drawer, without the blank lines at its end.
  ///
  /// In a new text, lines that would be headlines are indented by a space, so that they stay text.
  public var body: String {
    get { document.bytes[bodyRange][...].trimmedOfLineEnds.string }
    set {
      let lines = Array(newValue.utf8)[...].lines.map { line in
        let line = line.last == .carriageReturn ? line.dropLast() : line
        return Outline(Array(line)).nodes.count > 1 ? [.space] + line : Array(line)
      }
      let range = bodyRange
      if newValue.utf8.elementsEqual(body.utf8) { return }
      if !range.isEmpty { document.replace(range, with: []) }
      document.insert(lines: Array(lines.reversed().drop { $0[...].isBlank }.reversed()), at: range.lowerBound)
    }
  }

  private var bodyRange: Range<Int> {
    let node = document.outline.nodes[index.node]
    let head = drawer?.lines.last ?? planningLine?.line
    let start = head.map { min($0.endIndex + 1, node.end) } ?? sectionStart
    return start..<node.end
  }
}

extension ArraySlice<UInt8> {
  /// The text without line ends at its end.
  fileprivate var trimmedOfLineEnds: Bytes {
    var end = endIndex
    while end > startIndex, self[end - 1] == .newline || self[end - 1] == .carriageReturn { end -= 1 }
    return self[startIndex..<end]
  }
}
