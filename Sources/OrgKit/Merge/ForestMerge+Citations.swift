// Keeps footnotes that one side deleted while the other cited them again.

extension ForestMerge {
  /// Puts the text of a deleted footnote back, flagged, if a reference to it is new: the reference would lead nowhere.
  mutating func keepCitedFootnotes() {
    let entries = citingEntries()
    let labels = Set(entries.flatMap { $0.versions.base.definitions.keys })
    if labels.isEmpty { return }
    for label in labels.sorted(by: { precedes($0, $1) }) {
      let defined = Three(
        base: entries.count { $0.versions.base.definitions[label] != nil },
        ours: entries.count { $0.versions.ours.definitions[label] != nil },
        theirs: entries.count { $0.versions.theirs.definitions[label] != nil })
      let isDefined = entries.contains { $0.result.definitions[label] != nil }
      guard !isDefined, (defined.ours == 0) != (defined.theirs == 0) else { continue }
      let side: Version = defined.ours == 0 ? .ours : .theirs
      let cited = entries.filter { $0.result.count(label) > $0.versions[side].count(label) }
      let home = entries.first { $0.versions.base.definitions[label] != nil }
      guard let citing = cited.first, let home else { continue }
      let keeper: Version = side == .ours ? .theirs : .ours
      let note = entries.lazy.compactMap { $0.versions[keeper].definitions[label] }.first ?? []
      restore(note, to: structure.isAlive[home.entity] ? home.entity : citing.entity, lackedBy: side)
    }
  }

  /// Returns the entries with a footnote that a side changed: those of the result in order, then the others.
  private func citingEntries() -> [CitingEntry] {
    let files = table.entities.indices.filter { structure.isFile($0) && structure.isAlive[$0] }
    let gone = table.entities.indices.filter { !structure.isAlive[$0] }
    return (files.flatMap { members(of: $0) } + gone).compactMap { entity in
      if table.isSame(entity, .ours, .base), table.isSame(entity, .theirs, .base) { return nil }
      let texts = table.entities[entity].zip(table.outlines).map { node, outline in
        node.map { Array(outline.entry($0)) } ?? []
      }
      guard texts.all.contains(where: { CitedText.mayHaveFootnotes($0[...]) }) else { return nil }
      let result = structure.isAlive[entity] ? writtenLines(of: entity) : []
      return CitingEntry(
        entity: entity, versions: texts.map { CitedText(Array($0[...].lines)) }, result: CitedText(result))
    }
  }

  private func writtenLines(of entity: Int) -> [Bytes] {
    let entry = takenApart(entity)
    return [entry.headline?.title ?? []] + entry.body.flatMap(\.shown)
  }

  private mutating func restore(_ note: [Bytes], to entity: Int, lackedBy side: Version) {
    var entry = takenApart(entity)
    if let last = entry.body.last?.shown.last, !last.isBlank { entry.body.append(.line([])) }
    let variants = Three(base: note, ours: side == .ours ? [] : note, theirs: side == .theirs ? [] : note)
    entry.body.append(.disputed(shown: note, variants))
    contents[entity] = .merged(entry)
    let text = note.map(\.collapsed).joined(separator: [.space])
    flag(entity, [FieldConflict(.body, "footnote".utf8, standing: Array(text), other: nil)])
  }
}

/// An entry with the footnotes of all versions and of the result.
private struct CitingEntry {
  let entity: Int
  let versions: Three<CitedText>
  let result: CitedText
}

/// The definitions of footnotes in a text, and the number of references to each label.
private struct CitedText {
  private(set) var definitions: [[UInt8]: [Bytes]] = [:]
  private var references: [[UInt8]: Int] = [:]

  init(_ lines: [Bytes]) {
    var open: [UInt8]?
    for line in lines {
      if let label = Footnote.label(line) {
        open = Array(label)
        definitions[Array(label)] = [line]
        count(line.dropFirst(4))
      } else if line.isBlank || line.first == .star {
        open = nil
      } else {
        if let open { definitions[open]?.append(line) }
        count(line)
      }
    }
  }

  static func mayHaveFootnotes(_ text: Bytes) -> Bool {
    text.indices.contains { text[$0] == UInt8(ascii: "[") && text[$0...].starts(with: "[fn:".utf8) }
  }

  func count(_ label: [UInt8]) -> Int { references[label] ?? 0 }

  /// Counts the references `[fn:label]` in a line.
  private mutating func count(_ line: Bytes) {
    var rest = line
    while let start = rest.firstIndex(of: UInt8(ascii: "[")) {
      rest = rest[start...]
      if let label = Footnote.label(rest) { references[Array(label), default: 0] += 1 }
      rest = rest.dropFirst()
    }
  }
}
