// Corrects matchings against the base alone with the information of the other side.

extension EntryMatching {
  /// Removes pairs of two matchings against the same base that the other side makes doubtful.
  ///
  /// An entry that was deleted there and is hardly similar here was deleted here as well, and another one written; and an entry
  /// that the other side added in the same words is an addition here as well. Nothing is lost by this: the entry stays, as a
  /// new one.
  static func reconsider(_ ours: inout EntryMatching, _ theirs: inout EntryMatching) {
    let recognised = (ours.recognised(beside: theirs), theirs.recognised(beside: ours))
    for (node, partner) in recognised.0 { ours.pairInstead(node, partner) }
    for (node, partner) in recognised.1 { theirs.pairInstead(node, partner) }
    let copies = (ours.pairsOfAdditions(beside: theirs), theirs.pairsOfAdditions(beside: ours))
    for node in copies.0 { ours.separate(node) }
    for node in copies.1 { theirs.separate(node) }
    let found = (ours.returned(beside: theirs), theirs.returned(beside: ours))
    for (node, partner) in found.0 { ours.pair(node, partner) }
    for (node, partner) in found.1 { theirs.pair(node, partner) }
    let doubts = (ours.pairsOfDeleted(beside: theirs), theirs.pairsOfDeleted(beside: ours))
    for node in doubts.0 { ours.separate(node) }
    for node in doubts.1 { theirs.separate(node) }
  }

  /// Returns entries with the other side's text or title: if a side has merged the other before, its entry may be less similar
  /// to the base than another entry is.
  private func recognised(beside other: EntryMatching) -> [(Int, Int)] {
    let doubtful = ofBase.indices.filter {
      base.nodes[$0].level > 0 && other.ofBase[$0] != nil && (ofBase[$0] == nil || strengths[$0] != nil)
    }
    if doubtful.isEmpty { return [] }
    let open = side.nodes.indices.filter {
      side.nodes[$0].level > 0 && (ofSide[$0].map { strengths[$0] != nil } ?? true)
    }
    let texts = Dictionary(grouping: open) { LineKey(side.entryWithoutStars($0)) }
    let titles = Dictionary(grouping: open) { EntryFacts($0, of: side, keywords: keywords).title }
    return doubtful.compactMap { node in
      guard let elsewhere = other.ofBase[node] else { return nil }
      let text = LineKey(other.side.entryWithoutStars(elsewhere))
      if text == LineKey(base.entryWithoutStars(node)) { return nil }
      let title = EntryFacts(elsewhere, of: other.side, keywords: keywords).title
      let isRenamed = title != EntryFacts(node, of: base, keywords: keywords).title
      guard let found = texts[text] ?? (isRenamed ? titles[title] : nil), found.count == 1, found[0] != ofBase[node],
        mayBe(node, found[0])
      else { return nil }
      return (node, found[0])
    }
  }

  private func mayBe(_ node: Int, _ partner: Int) -> Bool {
    EntryFacts(node, of: base, keywords: keywords).mayBe(EntryFacts(partner, of: side, keywords: keywords))
  }

  private mutating func pairInstead(_ node: Int, _ partner: Int) {
    separate(node)
    if let former = ofSide[partner] { separate(former) }
    strengths[node] = 1
    pair(node, partner)
  }

  /// Returns entries that seem deleted and rewritten here, but are similar to the other side's version.
  private func returned(beside other: EntryMatching) -> [(Int, Int)] {
    let missing = ofBase.indices.filter { ofBase[$0] == nil && other.ofBase[$0] != nil }
    let new = ofSide.indices.filter { ofSide[$0] == nil }
    let added = Set(other.additions)
    var scored: [Candidate] = []
    if missing.count * new.count > Self.pairLimit { return [] }
    for node in missing {
      guard let elsewhere = other.ofBase[node] else { continue }
      let facts = EntryFacts(elsewhere, of: other.side, keywords: keywords)
      let words = facts.words
      for partner in new where !added.contains(LineKey(side.entryWithoutStars(partner))) {
        guard let candidate = sideFacts[partner], facts.mayBe(candidate) else { continue }
        let isNear = areUnderPair(node, partner) || hangsAlike(partner, elsewhere, in: other)
        let likeness = words.likeness(to: candidate.words, underMatchedParents: isNear)
        guard likeness >= (isNear ? Self.threshold : Self.firmness) else { continue }
        let whole = words.wholeLikeness(to: candidate.words)
        scored.append(Candidate(left: node, right: partner, likeness: likeness, whole: whole, distance: 0))
      }
    }
    var taken: (left: Set<Int>, right: Set<Int>) = ([], [])
    return scored.sorted().filter { taken.left.insert($0.left).inserted && taken.right.insert($0.right).inserted }
      .map { ($0.left, $0.right) }
  }

  /// Returns true if an entry of this side has the same parent as one of the other side.
  private func hangsAlike(_ node: Int, _ elsewhere: Int, in other: EntryMatching) -> Bool {
    let parent = ofSide[side.nodes[node].parent]
    return parent != nil && parent == other.ofSide[other.side.nodes[elsewhere].parent]
  }

  /// The texts of this side's additions.
  private var additions: [LineKey] {
    side.nodes.indices.filter { ofSide[$0] == nil }.map { LineKey(side.entryWithoutStars($0)) }
  }

  /// Returns weak pairs with entries that the other side added in the same words.
  private func pairsOfAdditions(beside other: EntryMatching) -> [Int] {
    if strengths.isEmpty { return [] }
    let additions = Set(other.additions)
    return strengths.keys.filter { node in
      ofBase[node].map { additions.contains(LineKey(side.entryWithoutStars($0))) } ?? false
    }
  }

  /// Returns weak pairs that the other side deleted.
  private func pairsOfDeleted(beside other: EntryMatching) -> [Int] {
    strengths.filter { node, strength in
      ofBase[node] != nil && other.ofBase[node] == nil && strength < Self.firmness
    }.map(\.key)
  }

  mutating func separate(_ node: Int) {
    guard let partner = ofBase[node] else { return }
    ofBase[node] = nil
    ofSide[partner] = nil
    strengths[node] = nil
    sideFacts[partner] = EntryFacts(partner, of: side, keywords: keywords)
  }
}
