// Flags entries that both sides added at one place, with one title and similar texts: only the user knows whether they are one.

extension ForestMerge {
  /// The minimum similarity at which two new entries with the same title may be one.
  private static let likeness = 0.6
  /// The number of words below which a text is too short to be another one: of two telephone numbers, no word is the same.
  private static let fewWords = 8

  /// Flags two entries with the same title and similar texts, if each is the only one with this title that its side added under
  /// their parent.
  mutating func flagTwins() {
    let ours = additions(of: .ours)
    if ours.isEmpty { return }
    let theirs = additions(of: .theirs)
    for (name, entities) in ours.sorted(by: { $0.value[0] < $1.value[0] }) {
      guard let others = theirs[name], entities.count == 1, others.count == 1 else { continue }
      guard let texts = differingTexts(entities[0], others[0]) else { continue }
      let conflict = FieldConflict(bothStand: texts.ours, texts.theirs, "entry".utf8, field: .entry)
      for (entity, lackedBy) in [(entities[0], Version.theirs), (others[0], .ours)] {
        returned[entity] = lackedBy
        flag(entity, [conflict])
      }
    }
  }

  /// The title of an entry and its parent.
  private struct Name: Hashable {
    let parent: Int
    let title: [UInt8]
  }

  /// Returns the entries with text that only one side has, by their names.
  private func additions(of side: Version) -> [Name: [Int]] {
    let outline = table.outlines[side]
    let new = table.entities.indices.filter { entity in
      let nodes = table.entities[entity]
      return structure.isAlive[entity] && nodes.base == nil && (nodes.ours == nil) != (nodes.theirs == nil)
    }
    return new.reduce(into: [:]) { found, entity in
      guard let node = table.entities[entity][side], let parent = table.parent(of: entity, in: side),
        !outline.section(node).isBlank
      else { return }
      // A count that only one of them has does not make two titles.
      let title = EntryFacts(node, of: outline, keywords: table.keywords).title[...].splitAtLastCookies.text
      found[Name(parent: parent, title: Array(title)), default: []].append(entity)
    }
  }

  /// Returns the first lines in which two similar entries differ, or the last line of one that the other continues; nil if the
  /// entries are not similar, or have different IDs. Without a base, short texts count as similar.
  private func differingTexts(_ entity: Int, _ other: Int) -> (ours: [UInt8], theirs: [UInt8])? {
    guard let node = table.entities[entity].ours, let partner = table.entities[other].theirs else { return nil }
    let one = EntryFacts(node, of: table.outlines.ours, keywords: table.keywords)
    let another = EntryFacts(partner, of: table.outlines.theirs, keywords: table.keywords)
    let words = [one, another].map(\.words.text)
    let areShort = isFirstMeeting(of: entity) && words.contains { $0.total < Self.fewWords }
    guard one.mayBe(another), areShort || words[0].likeness(to: words[1]) >= Self.likeness else { return nil }
    let texts = [one, another].map { facts in
      ([facts.headline.drop { $0 == .star }] + facts.section.lines).map(\.collapsed).filter { !$0.isEmpty }
    }
    let common = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
    return (texts[0][min(common, texts[0].count - 1)], texts[1][min(common, texts[1].count - 1)])
  }

  /// Returns true if the file of an entry has no base.
  private func isFirstMeeting(of entity: Int) -> Bool {
    var holder = entity
    while !structure.isFile(holder) { holder = structure.parents[holder] }
    return table.entities[holder].base == nil
  }
}
