/// Changes that people and programs make to a file between two syncs.
extension Sketch {
  /// The file after one to five edits.
  func edited(_ random: inout SeededGenerator) -> Sketch {
    var sketch = self
    for _ in 0..<Int.random(in: 1...5, using: &random) where !sketch.entries.isEmpty { sketch.edit(&random) }
    return sketch
  }

  private mutating func edit(_ random: inout SeededGenerator) {
    let index = Int.random(in: entries.indices, using: &random)
    switch Int.random(in: 0...17, using: &random) {
    case 0: changeState(index, &random)
    case 1: addTag(index, &random)
    case 2: entries[index].tags = []
    case 3: replaceWord(&entries[index].title, &random)
    case 4: entries[index].title.append(Self.word(&random))
    case 5: capture(&random)
    case 6: insert(below: index, &random)
    case 7: entries.removeSubrange(subtree(index))
    case 8: refile(index, to: Int.random(in: entries.indices, using: &random))
    case 9: swap(index)
    case 10: changeLine(index, &random)
    case 11: addLine(index, &random)
    case 12: removeLine(index, &random)
    case 13: setProperty(index, &random)
    case 14:
      entries[index].log.insert("- Note taken on \(Self.date("[", &random)) \\\\\n  \(Self.words(3, &random))", at: 0)
    case 15: tick(index, &random)
    case 16: entries[index].planning = ["DEADLINE: \(Self.date("<", &random))"]
    default: entries[index].body += Self.block(&random)
    }
  }

  private mutating func changeState(_ index: Int, _ random: inout SeededGenerator) {
    entries[index].keyword = ["TODO", "NEXT", "WAITING", "DONE", nil].randomElement(using: &random) ?? nil
  }

  private mutating func addTag(_ index: Int, _ random: inout SeededGenerator) {
    let tag = Self.tag(&random)
    if !entries[index].tags.contains(tag) { entries[index].tags.append(tag) }
  }

  private func replaceWord(_ words: inout [String], _ random: inout SeededGenerator) {
    if let place = words.indices.randomElement(using: &random) { words[place] = Self.word(&random) }
  }

  private mutating func capture(_ random: inout SeededGenerator) {
    var entry = Self.entry(level: 1, usesIDs: true, &random)
    entry.gap = entries.last?.gap ?? 0
    entries.append(entry)
  }

  private mutating func insert(below index: Int, _ random: inout SeededGenerator) {
    var entry = Self.entry(level: min(entries[index].level + 1, 6), usesIDs: true, &random)
    entry.gap = entries[index].gap
    entries.insert(entry, at: index + 1)
  }

  /// Moves a subtree below another entry, and adapts its stars.
  private mutating func refile(_ index: Int, to target: Int) {
    let range = subtree(index)
    guard !range.contains(target) else { return }
    let shift = entries[target].level + 1 - entries[index].level
    let moved = entries[range].map { entry in
      var entry = entry
      entry.level = max(1, entry.level + shift)
      return entry
    }
    guard moved.allSatisfy({ $0.level < 12 }) else { return }
    let end = subtree(target).upperBound
    entries.insert(contentsOf: moved, at: end)
    entries.removeSubrange(
      end <= range.lowerBound ? range.lowerBound + moved.count..<range.upperBound + moved.count : range)
  }

  private mutating func swap(_ index: Int) {
    let first = subtree(index)
    guard first.upperBound < entries.count, entries[first.upperBound].level == entries[index].level else { return }
    let second = subtree(first.upperBound)
    entries.replaceSubrange(first.lowerBound..<second.upperBound, with: entries[second] + entries[first])
  }

  private mutating func changeLine(_ index: Int, _ random: inout SeededGenerator) {
    guard let line = entries[index].body.indices.randomElement(using: &random) else { return }
    var words = entries[index].body[line].split(separator: " ").map(String.init)
    guard words.count > 2, !words[0].hasPrefix("#"), words[0] != "|" else { return }
    words[words.count - 1] = Self.word(&random)
    entries[index].body[line] = words.joined(separator: " ")
  }

  private mutating func addLine(_ index: Int, _ random: inout SeededGenerator) {
    let place = entries[index].body.firstIndex { $0.isEmpty } ?? entries[index].body.count
    entries[index].body.insert(Self.words(5, &random), at: place)
  }

  private mutating func removeLine(_ index: Int, _ random: inout SeededGenerator) {
    guard let line = entries[index].body.indices.randomElement(using: &random),
      !entries[index].body[line].hasPrefix("#")
    else { return }
    entries[index].body.remove(at: line)
  }

  private mutating func setProperty(_ index: Int, _ random: inout SeededGenerator) {
    let line = ":Effort:   \(Int.random(in: 1...9, using: &random)):30"
    entries[index].properties.removeAll { $0.hasPrefix(":Effort:") }
    entries[index].properties.append(line)
  }

  private mutating func tick(_ index: Int, _ random: inout SeededGenerator) {
    guard
      let line = entries[index].body.indices.filter({ entries[index].body[$0].hasPrefix("- [ ]") })
        .randomElement(using: &random)
    else { return }
    entries[index].body[line] = "- [X]" + entries[index].body[line].dropFirst(5)
  }
}

extension Versions {
  /// A random file and two people's versions of it; `isIdentified` puts an ID into every entry and changes nothing else.
  init(seed: UInt64, isIdentified: Bool = false) {
    var random = SeededGenerator(seed: seed)
    let base = Sketch(size: 14, &random)
    let versions = [base, base.edited(&random), base.edited(&random)].map {
      isIdentified ? $0.identified.text : $0.text
    }
    self.init(base: versions[0], ours: versions[1], theirs: versions[2])
  }

  /// A third person's version of the base of the same seed.
  static func third(seed: UInt64, isIdentified: Bool = false) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let base = Sketch(size: 14, &random)
    var other = SeededGenerator(seed: ~seed)
    let third = base.edited(&other)
    return isIdentified ? third.identified.text : third.text
  }
}
