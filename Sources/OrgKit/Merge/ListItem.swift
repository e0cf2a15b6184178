/// An item of a list with all that is indented below it.
struct ListItem {
  let marker: ListMarker
  /// The lines of the item up to its first sub-item.
  let lines: ArraySlice<Bytes>
  let children: [ListItem]
  /// The blank lines above.
  let gap: [Bytes]

  /// Deeper items than this are taken as text of their parents.
  private static let depthLimit = 40

  /// The items of a list block.
  static func items(of lines: ArraySlice<Bytes>) -> [ListItem] {
    items(of: lines, depth: 0)
  }

  /// Lines that begin with an item; what is indented deeper belongs to it.
  private static func items(of lines: ArraySlice<Bytes>, depth: Int) -> [ListItem] {
    let starts = itemStarts(in: lines)
    var items: [ListItem] = []
    var gap: ArraySlice<Bytes> = []
    for (number, start) in starts.enumerated() {
      guard let marker = ListMarker(lines[start]) else { continue }
      let end = number + 1 < starts.count ? starts[number + 1] : lines.endIndex
      let own = lines[start..<end].withoutBlankEnd
      let inner = depth < depthLimit ? itemStarts(in: own.dropFirst()).first ?? own.endIndex : own.endIndex
      let head = own[..<inner].withoutBlankEnd
      let children = inner < own.endIndex ? Self.items(of: own[inner...], depth: depth + 1) : []
      items.append(
        ListItem(
          marker: marker, lines: head, children: children.withGap(own[head.endIndex..<inner]), gap: Array(gap)))
      gap = lines[own.endIndex..<end]
    }
    return items
  }

  /// Where the items of the outermost level begin: lines with a marker that no item above encloses.
  private static func itemStarts(in lines: ArraySlice<Bytes>) -> [Int] {
    var starts: [Int] = []
    var width = Int.max
    var missingEnds: Set<[UInt8]> = []
    var index = lines.startIndex
    while index < lines.endIndex {
      let line = lines[index]
      if let end = enclosedEnd(lines, index, &missingEnds) {
        index = end
        continue
      }
      if ListMarker(line) != nil, line.indentationWidth <= width {
        starts.append(index)
        width = line.indentationWidth
      }
      index += 1
    }
    return starts
  }

  /// Behind a `#+begin_` block inside an item, whose lines are no items.
  private static func enclosedEnd(_ lines: ArraySlice<Bytes>, _ start: Int, _ missing: inout Set<[UInt8]>) -> Int? {
    guard lines[start].firstNonBlank == UInt8(ascii: "#") else { return nil }
    let content = lines[start].trimmedLeft
    guard content.hasPrefix(ignoringCase: "#+begin_") else { return nil }
    let ending = Array("#+end_".utf8) + content.dropFirst(8).prefix { !$0.isBlank }.lowercased
    // Each search that is in vain is made once, or many open blocks would take quadratic time.
    if missing.contains(ending) { return nil }
    let last = lines[start...].firstIndex { $0.trimmed.lowercased == ending }
    if last == nil { missing.insert(ending) }
    return last.map { $0 + 1 }
  }

  /// The text of the item itself, without marker and tick.
  var text: [Bytes] {
    guard let first = lines.first else { return [] }
    return [first[marker.contentStart...]] + lines.dropFirst()
  }

  /// The words of the item itself; two items with equal meaning are the same.
  var meaning: [UInt8] { Array(text.map { $0.blankingCookies[...].collapsed }.joined(separator: [.space])) }

  /// The meaning of the item with all its sub-items.
  var wholeMeaning: [UInt8] { meaning + children.flatMap { [.newline] + $0.wholeMeaning } }

  /// Gap, lines and sub-items as they stand in the file.
  var allLines: [Bytes] { lines + children.flatMap { $0.gap + $0.allLines } }

  fileprivate func withGap(_ gap: ArraySlice<Bytes>) -> ListItem {
    ListItem(marker: marker, lines: lines, children: children, gap: gap + self.gap)
  }
}

extension [ListItem] {
  fileprivate func withGap(_ gap: ArraySlice<Bytes>) -> [ListItem] {
    guard let first, !gap.isEmpty else { return self }
    return [first.withGap(gap)] + dropFirst()
  }
}

extension ArraySlice<Bytes> {
  /// The lines without blank ones at their end.
  fileprivate var withoutBlankEnd: ArraySlice<Bytes> {
    var end = endIndex
    while end > startIndex, self[end - 1].isBlank { end -= 1 }
    return self[..<end]
  }
}
