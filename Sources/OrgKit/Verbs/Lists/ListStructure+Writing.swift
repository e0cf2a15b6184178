extension ListStructure {
  /// Writes the items' new bullets, boxes and indentations into the buffer; their texts move with them.
  func write(over old: ListStructure, in buffer: inout OrgBuffer) {
    let bounds = old.bounds
    for (up, down) in zip(bounds, bounds.dropFirst()).reversed() {
      let delta = delta(from: up, to: down, old, buffer)
      if delta != 0 { shiftText(from: up, to: down, by: delta, old, &buffer) }
      if let index = old.index(at: up), items[index] != old.items[index] { write(index, old, &buffer) }
    }
  }

  /// The positions at which items begin or end.
  private var bounds: [Int] { Set(items.map(\.start) + items.map(\.end)).sorted() }

  /// Returns by how much the text from one bound to the next moves.
  private func delta(from up: Int, to down: Int, _ old: ListStructure, _ buffer: OrgBuffer) -> Int {
    if let index = old.index(at: up) {
      let (new, before) = (items[index], old.items[index])
      return new.indentation + new.bullet.count - before.indentation - before.bullet.count
    }
    guard let child = old.items.lastIndex(where: { $0.end == up }) else { return 0 }
    let indentations = buffer.text[up..<down].lines.filter { !$0.isBlank }.map(\.indentationWidth)
    guard old != self, let least = indentations.min() else { return 0 }
    return items[child].indentation == old.items[child].indentation ? 0 : items[child].indentation - least
  }

  private func shiftText(from up: Int, to down: Int, by delta: Int, _ old: ListStructure, _ buffer: inout OrgBuffer) {
    var position = buffer.lineStart(max(up, down - 1))
    while position > up || position == up && old.index(at: up) == nil {
      if !buffer.isBlankLine(position) {
        let blanks = buffer.line(position).indentation
        let width = max(0, blanks.indentationWidth + delta)
        buffer.replace(blanks.startIndex..<blanks.endIndex, with: String(repeating: " ", count: width))
      }
      if position == up { return }
      position = buffer.lineStart(position - 1)
    }
  }

  private func write(_ index: Int, _ old: ListStructure, _ buffer: inout OrgBuffer) {
    let (item, before) = (items[index], old.items[index])
    let line = buffer.line(before.start)
    guard let marker = ListMarker(anyBullet: line) else { return }
    let bulletEnd = buffer.skipBlanks(marker.bullet.upperBound)
    writeBox(item.box, before, after: bulletEnd, &buffer)
    let bullet = Self.withOneBlank(item.bullet)
    if bullet != before.bullet { buffer.replace(marker.bullet.lowerBound..<bulletEnd, with: bullet) }
    if item.indentation != before.indentation {
      buffer.replace(before.start..<marker.bullet.lowerBound, with: String(repeating: " ", count: item.indentation))
    }
  }

  private func writeBox(_ box: String?, _ before: Item, after bulletEnd: Int, _ buffer: inout OrgBuffer) {
    if box == before.box { return }
    guard let old = before.box, let place = buffer.line(bulletEnd)[bulletEnd...].firstRange(of: Array(old.utf8)) else {
      guard let box else { return }
      if before.counter != nil, let close = buffer.line(bulletEnd)[bulletEnd...].firstIndex(of: UInt8(ascii: "]")) {
        return buffer.insert(" " + box, at: close + 1)
      }
      return buffer.insert(box + " ", at: bulletEnd)
    }
    if let box { return buffer.replace(place, with: box) }
    buffer.delete(buffer.skipBlanksBackwards(place.lowerBound)..<place.upperBound)
  }
}
