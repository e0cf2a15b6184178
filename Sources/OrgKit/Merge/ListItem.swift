/// An item of a list with everything that is indented below it.
struct ListItem {
  let marker: ListMarker
  /// The lines of the item up to its first sub-item.
  let lines: Lines
  let children: [ListItem]
  /// The lines of the item below its sub-items, with the blank lines above.
  let tail: Lines
  /// The blank lines above.
  let gap: Lines

  /// The maximum nesting of items; deeper ones are text of their parents.
  private static let depthLimit = 40

  /// Returns the items of a list block.
  static func items(of lines: Lines) -> [ListItem] {
    items(of: lines, behind: lines[..<lines.startIndex], depth: 0)
  }

  /// Returns the items of lines that begin with an item, after a gap; deeper lines belong to the item.
  private static func items(of lines: Lines, behind gap: Lines, depth: Int) -> [ListItem] {
    var items: [ListItem] = []
    var starts = ItemStarts(lines)
    var gap = gap
    var next = starts.next()
    while let (start, marker) = next {
      next = starts.next()
      let end = next?.line ?? lines.endIndex
      let own = lines[start..<end].withoutBlankEnd
      let inner = depth < depthLimit ? own.dropFirst().firstItem : own.endIndex
      let head = own[..<inner].withoutBlankEnd
      let tail = own[inner...].tailStart
      let children =
        inner < own.endIndex
        ? Self.items(of: own[inner..<tail], behind: own[head.endIndex..<inner], depth: depth + 1) : []
      items.append(ListItem(marker: marker, lines: head, children: children, tail: own[tail...], gap: gap))
      gap = lines[own.endIndex..<end]
    }
    return items
  }

  /// The text of the item itself with the blocks inside, without marker and tick.
  var text: [Bytes] {
    guard let first = lines.first else { return [] }
    return [first[marker.contentStart...]] + lines.dropFirst()
  }

  /// The text of the item without the blocks inside, and those blocks.
  var parts: (text: [Bytes], blocks: [Block]) {
    guard let first = text.first else { return ([], []) }
    var scanner = BlockScanner(lines.dropFirst(), isPreamble: false)
    var blocks = scanner.blocks()[...]
    var text = [first]
    if let next = blocks.first, next.kind == .paragraph, next.gap.isEmpty {
      text += next.lines
      blocks = blocks.dropFirst()
    }
    return (text, Array(blocks))
  }

  /// The blocks below the sub-items.
  var tailBlocks: [Block] {
    var scanner = BlockScanner(tail, isPreamble: false)
    return scanner.blocks()
  }

  /// Returns the item with its content, shifted to the right or, for a negative number of columns, to the left.
  func shifted(by columns: Int) -> ListItem {
    if columns == 0 { return self }
    let shifted = Lines(allLines.map { BodyShift.shifted($0, by: columns)[...] })
    return Self.items(of: shifted, behind: gap, depth: 0).first ?? self
  }

  /// The last character of the bullet: `-`, `+` or `*`, or the punctuation after a number.
  var sign: UInt8 { lines.first?[marker.bullet.upperBound - 1] ?? 0 }

  /// Returns the item with another bullet character.
  func with(sign: UInt8) -> ListItem {
    guard sign != self.sign, var first = lines.first else { return self }
    first[marker.bullet.upperBound - 1] = sign
    return Self.items(of: Lines([first] + allLines.dropFirst()), behind: gap, depth: 0).first ?? self
  }

  /// The number of columns before the bullet.
  var indentation: Int { (lines.first ?? []).indentationWidth }

  /// The words of the item itself; items with equal meaning match.
  var meaning: [UInt8] { Array(head.map { $0.blankingCookies[...].collapsed }.joined(separator: [.space])) }

  /// The text of the item without the blocks inside.
  var head: [Bytes] { lines.count == 1 ? text : parts.text }

  /// The meaning of the item with its blocks and all its sub-items.
  var wholeMeaning: [UInt8] { meaning + blockMeaning + children.flatMap { [.newline] + $0.wholeMeaning } + tailMeaning }

  private var tailMeaning: [UInt8] { tail.flatMap { $0.isBlank ? [] : [.newline] + $0.collapsed } }

  /// The checkboxes of the item and of all its sub-items, zero for none.
  var boxes: [UInt8] { [marker.box ?? 0] + children.flatMap(\.boxes) }

  /// The meaning of the blocks inside the item; with code, the lines without the columns before the item's bullet.
  private var blockMeaning: [UInt8] {
    if lines.count == 1 { return [] }
    if lines.contains(where: { $0.trimmedLeft.hasPrefix(ignoringCase: "#+begin_") }) {
      return lines.dropFirst().flatMap { [.newline] + BodyShift.shifted($0.trimmedRight, by: -indentation) }
    }
    return lines.dropFirst(head.count).flatMap { $0.isBlank ? [] : [.newline] + $0.blankingCookies[...].collapsed }
  }

  /// Lines, sub-items and the lines below them as in the file.
  var allLines: [Bytes] { lines + children.flatMap { $0.gap + $0.allLines } + tail }
}

/// The lines at which items of the outermost level begin: lines with a marker that are not inside another item.
private struct ItemStarts: IteratorProtocol {
  private let lines: Lines
  private var line: Int
  private var width = Int.max
  private var ends: BlockEnds

  init(_ lines: Lines) {
    self.lines = lines
    line = lines.startIndex
    ends = BlockEnds(lines)
  }

  mutating func next() -> (line: Int, marker: ListMarker)? {
    while line < lines.endIndex {
      let start = line
      if let end = enclosedEnd(from: start) {
        line = end
        continue
      }
      line += 1
      if lines.indentation(start) <= width, let marker = lines.marker(start) {
        width = lines.indentation(start)
        return (start, marker)
      }
    }
    return nil
  }

  /// Returns the position after a `#+begin_` block inside an item, whose lines do not begin items.
  mutating func enclosedEnd(from start: Int) -> Int? {
    guard lines.first(start) == UInt8(ascii: "#") else { return nil }
    let content = lines[start].trimmedLeft
    guard content.hasPrefix(ignoringCase: "#+begin_") else { return nil }
    return ends.end(of: Array("#+end_".utf8) + content.dropFirst(8).prefix { !$0.isBlank }.lowercased, after: start)
  }
}

extension Lines {
  /// The position of the first item, or the end.
  fileprivate var firstItem: Int {
    var starts = ItemStarts(self)
    return starts.next()?.line ?? endIndex
  }

  /// The end of the items that these lines begin with, which a line without deeper indentation ends, and blank lines above it.
  fileprivate var tailStart: Int {
    var ends = ItemStarts(self)
    var (line, width) = (startIndex, Int.max)
    while line < endIndex {
      let isItem = marker(line) != nil && indentation(line) <= width
      if !isBlank(line), indentation(line) <= width, !isItem { return self[..<line].withoutBlankEnd.endIndex }
      if isItem { width = indentation(line) }
      line = ends.enclosedEnd(from: line) ?? line + 1
    }
    return endIndex
  }

  /// The lines without trailing blank ones.
  fileprivate var withoutBlankEnd: Lines {
    var end = endIndex
    while end > startIndex, isBlank(end - 1) { end -= 1 }
    return self[..<end]
  }
}
