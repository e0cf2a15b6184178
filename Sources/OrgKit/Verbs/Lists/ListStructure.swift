/// A plain list in a buffer with all its nested items, as Org sees it.
struct ListStructure: Equatable {
  /// An item.
  struct Item: Equatable {
    /// The start of its line.
    var start: Int
    var indentation: Int
    /// The bullet with the blanks behind it.
    var bullet: String
    /// The number or letter in `[@5]`.
    var counter: String?
    /// `[ ]`, `[X]` or `[-]`.
    var box: String?
    /// True if the text has a term before ` :: `.
    var isDescription: Bool
    /// The start of the line below its last one, with sub-items.
    var end: Int
    /// The number of its parent.
    var parent: Int?
  }

  var items: [Item]

  /// Returns the list that contains the item at a line; nil if the line begins no item.
  init?(at line: Int, in buffer: OrgBuffer) {
    guard Self.item(at: line, in: buffer) != nil else { return nil }
    items = []
    read(from: Self.top(of: line, in: buffer), buffer)
    findParents()
  }

  /// The end of the list.
  var end: Int { items.map(\.end).max() ?? 0 }

  /// Returns the number of the item at a line.
  func index(at line: Int) -> Int? { items.firstIndex { $0.start == line } }

  func children(of index: Int?) -> [Int] { items.indices.filter { items[$0].parent == index } }

  /// Returns the items on the same level below the same parent.
  func siblings(of index: Int) -> [Int] { children(of: items[index].parent) }

  /// Returns all items below an item.
  func descendants(of index: Int) -> [Int] { children(of: index).flatMap { [$0] + descendants(of: $0) } }

  // MARK: Reading

  private static func top(of line: Int, in buffer: OrgBuffer) -> Int {
    var (top, position, blanks) = (line, line, 0)
    // The least indentation of text above the present top; an item must be less indented.
    var reference = Int.max
    while position > 0 {
      position = buffer.lineStart(position - 1)
      let text = buffer.line(position)
      if buffer.level(at: position) != nil { break }
      if text.isBlank {
        blanks += 1
        if blanks == 2 { break }
        continue
      }
      blanks = 0
      if let start = blockStart(position, in: buffer) { position = start }
      let indentation = buffer.line(position).indentationWidth
      if item(at: position, in: buffer) != nil, indentation < reference {
        (top, reference) = (position, Int.max)
      } else {
        reference = min(reference, indentation)
        if reference == 0 { break }
      }
    }
    return top
  }

  /// Returns the start of the block or drawer whose last line this is.
  private static func blockStart(_ position: Int, in buffer: OrgBuffer) -> Int? {
    let line = buffer.line(position).trimmed
    let isDrawer = line.equals(ignoringCase: ":end:")
    guard isDrawer || line.hasPrefix(ignoringCase: "#+end_") else { return nil }
    let wanted = isDrawer ? nil : Array("#+begin_".utf8) + line.dropFirst(6).lowercased
    var start = position
    while start > 0 {
      start = buffer.lineStart(start - 1)
      let text = buffer.line(start).trimmed
      if buffer.level(at: start) != nil { return nil }
      if let wanted, text.lowercasedStarts(with: wanted) { return start }
      if wanted == nil, BlockScanner.drawerName(text) != nil { return start }
    }
    return nil
  }

  private mutating func read(from top: Int, _ buffer: OrgBuffer) {
    let margin = buffer.line(top).indentationWidth
    var (position, blanks, textEnd) = (top, 0, top)
    var open: [Int] = []
    func close(_ indentation: Int, at end: Int, _ items: inout [Item]) {
      while let last = open.last, items[last].indentation >= indentation { items[open.removeLast()].end = end }
    }
    while position < buffer.count {
      let line = buffer.line(position)
      if buffer.level(at: position) != nil { break }
      if line.isBlank {
        blanks += 1
        if blanks == 2 { break }
        position = buffer.lineEnd(position) + 1
        continue
      }
      let indentation = line.indentationWidth
      if let item = Self.item(at: position, in: buffer) {
        close(indentation, at: position, &items)
        items.append(item)
        open.append(items.count - 1)
      } else {
        if indentation <= margin { break }
        close(indentation, at: position, &items)
      }
      blanks = 0
      position = Self.elementEnd(position, in: buffer)
      textEnd = min(position, buffer.count)
    }
    close(0, at: textEnd, &items)
  }

  /// Returns the position below a line, or below the block or drawer that it begins.
  private static func elementEnd(_ position: Int, in buffer: OrgBuffer) -> Int {
    let line = buffer.line(position).trimmed
    let end = buffer.nextHeading(position)
    if BlockScanner.drawerName(line) != nil, let close = buffer.drawerEnd(position, before: end) { return close }
    if line.hasPrefix(ignoringCase: "#+begin_"), let close = buffer.blockEnd(position, before: end) { return close }
    return buffer.lineEnd(position) + 1
  }

  private mutating func findParents() {
    var open: [Int] = []
    for index in items.indices {
      while let last = open.last, items[last].indentation >= items[index].indentation { open.removeLast() }
      items[index].parent = open.last
      open.append(index)
    }
  }

  /// Returns the item that a line begins.
  static func item(at position: Int, in buffer: OrgBuffer) -> Item? {
    let line = buffer.line(position)
    guard let marker = ListMarker(anyBullet: line) else { return nil }
    let bulletEnd = buffer.skipBlanks(marker.bullet.upperBound)
    var (counter, rest) = (String?.none, bulletEnd)
    if marker.hasCounter, let close = line[rest...].firstIndex(of: UInt8(ascii: "]")) {
      counter = line[(rest + 2)..<close].string
      rest = buffer.skipBlanks(close + 1)
    }
    let box = marker.box.map { "[\(UnicodeScalar($0))]" }
    return Item(
      start: position, indentation: line.indentationWidth,
      bullet: buffer.text[marker.bullet.lowerBound..<bulletEnd].string, counter: counter, box: box,
      isDescription: line[marker.contentStart...].firstRange(of: Array(" ::".utf8)) != nil, end: position, parent: nil)
  }
}
