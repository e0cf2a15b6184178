extension OrgDocument {
  /// Edits of a document's entries that are not applied yet.
  public struct Edits {
    /// The document before the edits.
    public let document: OrgDocument
    fileprivate var entries: [Int: OrgEntry] = [:]

    init(document: OrgDocument) {
      self.document = document
    }

    /// An entry with the edits so far, for reading or editing. It is separate from the document: it has no parent and no
    /// children here.
    public subscript(place: OrgEntry.Index) -> OrgEntry {
      get { entries[place.node] ?? document[place].separated }
      set { entries[place.node] = newValue.separated }
    }
  }

  /// Makes edits of any number of entries, and parses the document again once, after the last one. If `body` throws, the
  /// document is unchanged.
  public mutating func edit<Result, Failure: Error>(
    _ body: (inout Edits) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var edits = Edits(document: self)
    let result = try body(&edits)
    put(edits.entries)
    return result
  }

  /// Replaces the entries' own text, up to the next headline, by that of separate entries.
  mutating func put(_ entries: [Int: OrgEntry]) {
    let old = bytes
    var new: [UInt8] = []
    var position = 0
    for (node, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let range = outline.range(upToNext: node)
      new += old[position..<range.lowerBound] + entry.document.bytes
      position = range.upperBound
    }
    if position > 0 { self = reread(new + old[position...]) }
  }
}

extension Outline {
  /// Returns the range from a headline to the next one, including blank lines.
  func range(upToNext node: Int) -> Range<Int> {
    nodes[node].start..<(node + 1 < nodes.count ? nodes[node + 1].start : text.count)
  }
}
