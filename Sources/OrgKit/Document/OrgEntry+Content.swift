extension OrgEntry {
  /// Everything between the headline and the next one, byte for byte: planning line, drawers, text and trailing blank lines.
  /// Setting it changes nothing in the value, but adds a line end that is missing before the next headline.
  public var content: [UInt8] {
    get { Array(document.bytes[contentRange]) }
    set {
      let range = contentRange
      let isLast = range.upperBound == document.bytes.count && document.mayLackLineEnd
      let isOpen = range.lowerBound > 0 && document.bytes[range.lowerBound - 1] != .newline
      let start = isOpen && !newValue.isEmpty ? document.lineEnd : []
      let end = isLast || newValue.isEmpty || newValue.last == .newline ? [] : document.lineEnd
      document.replace(range, with: start + newValue + end)
    }
  }

  private var contentRange: Range<Int> {
    let nodes = document.outline.nodes
    let start = min(nodes[index.node].headlineEnd + 1, document.bytes.count)
    return start..<(index.node + 1 < nodes.count ? nodes[index.node + 1].start : document.bytes.count)
  }

  /// The position of the entry among all entries of its document, from the top.
  public var place: Int { index.node - 1 }

  /// The number of entries in the subtree, including this one.
  public var subtreeCount: Int { document.outline.nodes[index.node].subtreeEnd - index.node }
}
