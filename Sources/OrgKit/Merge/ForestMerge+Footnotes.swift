extension ForestMerge {
  /// Flags definitions of one footnote that the sides added to two entries with different texts: a reference to it is
  /// ambiguous.
  mutating func flagFootnotes() {
    let (ours, theirs) = (newFootnotes(.ours), newFootnotes(.theirs))
    for (label, one) in ours.sorted(by: { precedes($0.key, $1.key) }) {
      guard let other = theirs[label], one.entity != other.entity, one.text != other.text else { continue }
      let conflict = FieldConflict(bothStand: one.text, other.text, "footnote".utf8)
      for (side, entity) in [(Version.ours, one.entity), (.theirs, other.entity)] where structure.isAlive[entity] {
        flag(entity, [conflict])
        dispute(label, in: entity, of: side)
      }
    }
  }

  /// Makes the definition of a footnote that only one side has here a conflict.
  private mutating func dispute(_ label: [UInt8], in entity: Int, of side: Version) {
    var entry = takenApart(entity)
    entry.body = entry.body.map { piece in
      guard case .line(let line) = piece, Footnote.label(line)?.elementsEqual(label) ?? false else { return piece }
      let variants = Three(base: [Bytes](), ours: side == .ours ? [line] : [], theirs: side == .theirs ? [line] : [])
      return .disputed(shown: [line], variants)
    }
    contents[entity] = .merged(entry)
  }

  /// Returns the definitions that a side added, by label.
  private func newFootnotes(_ side: Version) -> [[UInt8]: (entity: Int, text: [UInt8])] {
    var found: [[UInt8]: (entity: Int, text: [UInt8])] = [:]
    for entity in table.entities.indices where !table.isSame(entity, side, .base) {
      let known = Set(footnotes(of: entity, in: .base).map(\.label))
      for (label, text) in footnotes(of: entity, in: side) where !known.contains(label) {
        found[label] = (entity, text)
      }
    }
    return found
  }

  private func footnotes(of entity: Int, in version: Version) -> [(label: [UInt8], text: [UInt8])] {
    guard let node = table.entities[entity][version] else { return [] }
    return table.outlines[version].section(node).lines.compactMap { line in
      Footnote.label(line).map { (Array($0), line.collapsed) }
    }
  }
}
