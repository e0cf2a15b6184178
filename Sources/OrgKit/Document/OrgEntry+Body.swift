extension OrgEntry {
  /// The text below planning line and property drawer, without trailing blank lines.
  public var body: String { document.bytes[bodyRange][...].trimmedOfLineEnds.string }

  /// Changes the text below planning line and property drawer. Lines that look like headlines are indented by a space, so that
  /// they stay text; a text that begins with dates or properties is rejected.
  public mutating func setBody(_ body: String) throws(OrgEditError) {
    let lines = Array(body.utf8)[...].textLines.map { line in
      Outline(line).nodes.count > 1 ? [.space] + line : line
    }
    try change(.body, to: body, set: { $0.body = lines }, write: { $0.write(lines) })
  }

  private mutating func write(_ lines: [[UInt8]]) {
    let range = bodyRange
    if !range.isEmpty { document.replace(range, with: []) }
    document.insert(lines: lines, at: range.lowerBound)
  }

  /// The lines of the text without their ends and trailing blank lines.
  var bodyLines: [[UInt8]] { document.bytes[bodyRange].textLines }

  private var bodyRange: Range<Int> {
    let node = document.outline.nodes[index.node]
    let head = drawer?.lines.last ?? planningLine?.line
    let start = head.map { min($0.endIndex + 1, node.end) } ?? sectionStart
    return start..<node.end
  }
}

extension ArraySlice<UInt8> {
  /// The lines without their ends and trailing blank lines.
  fileprivate var textLines: [[UInt8]] {
    let lines = lines.map { Array($0.last == .carriageReturn ? $0.dropLast() : $0) }
    return Array(lines.reversed().drop { $0[...].isBlank }.reversed())
  }

  /// The text without trailing line ends.
  fileprivate var trimmedOfLineEnds: Bytes {
    var end = endIndex
    while end > startIndex, self[end - 1] == .newline || self[end - 1] == .carriageReturn { end -= 1 }
    return self[startIndex..<end]
  }
}
