extension ListStructure {
  /// Makes the boxes of parents follow their children. With `isOrdered`, boxes behind an open one are emptied.
  ///
  /// - Returns: the number of the item that blocks others.
  mutating func fixBoxes(isOrdered: Bool) -> Int? {
    let parents = Set(items.compactMap(\.parent)).filter { items[$0].box != nil }
    let deepestFirst = parents.sorted { (items[$0].indentation, $0) > (items[$1].indentation, $1) }
    for parent in deepestFirst { items[parent].box = box(of: parent) }
    guard isOrdered, let open = items.firstIndex(where: { $0.box == "[ ]" }),
      items[open...].contains(where: { $0.box == "[X]" })
    else { return nil }
    for index in items[open...].indices where items[index].box != nil { items[index].box = "[ ]" }
    _ = fixBoxes(isOrdered: false)
    return open
  }

  private func box(of parent: Int) -> String? {
    let boxes = children(of: parent).compactMap { items[$0].box }
    if boxes.contains("[-]") || boxes.contains("[ ]") && boxes.contains("[X]") { return "[-]" }
    return boxes.first ?? items[parent].box
  }

  /// Gives children the indentation of their parents' texts.
  mutating func fixIndentation(bulletSize: Int? = nil) {
    for index in items.indices.dropFirst() {
      guard let parent = items[index].parent else {
        items[index].indentation = items[0].indentation
        continue
      }
      items[index].indentation = items[parent].indentation + (bulletSize ?? items[parent].bullet.count)
    }
  }

  /// Numbers the items again, and gives them the bullets of their first siblings.
  mutating func fixBullets() {
    for index in items.indices {
      let siblings = siblings(of: index)
      let place = siblings.firstIndex(of: index) ?? 0
      let previous = place > 0 ? items[siblings[place - 1]].bullet : nil
      items[index].bullet = Self.withOneBlank(bullet(items[index], after: previous))
    }
  }

  private func bullet(_ item: Item, after previous: String?) -> String {
    let digits = { (text: String) in text.firstMatch(of: /[0-9]+/) }
    if let previous {
      if let counter = item.counter, Int(counter) != nil, let number = digits(previous) {
        return previous.replacingCharacters(number.range, by: counter)
      }
      guard let number = digits(previous) else { return previous }
      return previous.replacingCharacters(number.range, by: String((Int(number.output) ?? 0) &+ 1))
    }
    guard let number = digits(item.bullet) else { return item.bullet }
    let first = item.counter.flatMap { Int($0) } ?? 1
    return item.bullet.replacingCharacters(number.range, by: String(first))
  }

  static func withOneBlank(_ bullet: String) -> String { bullet.prefix { $0 != " " && $0 != "\t" } + " " }
}

extension String {
  func replacingCharacters(_ range: Range<Index>, by text: String) -> String {
    var copy = self
    copy.replaceSubrange(range, with: text)
    return copy
  }
}
