// A matching against the base alone can go wrong where the other side would have told better.

extension EntryMatching {
  /// Takes back pairs of two matchings against one base that a look at the other side makes doubtful.
  ///
  /// An entry deleted there and hardly alike here was deleted here too, and another one written; and what the other
  /// side added in the same words is an addition here as well. Nothing is lost by this: the entry stays, as a new one.
  static func reconsider(_ ours: inout EntryMatching, _ theirs: inout EntryMatching) {
    let found = (ours.returned(beside: theirs), theirs.returned(beside: ours))
    for (node, partner) in found.0 { ours.pair(node, partner) }
    for (node, partner) in found.1 { theirs.pair(node, partner) }
    let doubts = (ours.doubtfulPairs(beside: theirs), theirs.doubtfulPairs(beside: ours))
    for node in doubts.0 { ours.separate(node) }
    for node in doubts.1 { theirs.separate(node) }
  }

  /// Entries that seem deleted here and another one written, which yet is like what the other side made of them.
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
      for partner in new where areUnderPair(node, partner) && !added.contains(LineKey(side.entryWithoutStars(partner)))
      {
        guard let candidate = sideFacts[partner], facts.mayBe(candidate) else { continue }
        let likeness = words.likeness(to: candidate.words, underMatchedParents: true)
        guard likeness >= Self.threshold else { continue }
        let whole = words.wholeLikeness(to: candidate.words)
        scored.append(Candidate(left: node, right: partner, likeness: likeness, whole: whole, distance: 0))
      }
    }
    var taken: (left: Set<Int>, right: Set<Int>) = ([], [])
    return scored.sorted().filter { taken.left.insert($0.left).inserted && taken.right.insert($0.right).inserted }
      .map { ($0.left, $0.right) }
  }

  /// The texts of what this side has and the base has not.
  private var additions: [LineKey] {
    side.nodes.indices.filter { ofSide[$0] == nil }.map { LineKey(side.entryWithoutStars($0)) }
  }

  private func doubtfulPairs(beside other: EntryMatching) -> [Int] {
    if strengths.isEmpty { return [] }
    let additions = Set(other.additions)
    return strengths.filter { node, strength in
      guard let partner = ofBase[node] else { return false }
      return other.ofBase[node] == nil && strength < Self.firmness
        || additions.contains(LineKey(side.entryWithoutStars(partner)))
    }.map(\.key)
  }

  private mutating func separate(_ node: Int) {
    guard let partner = ofBase[node] else { return }
    ofBase[node] = nil
    ofSide[partner] = nil
    sideFacts[partner] = EntryFacts(partner, of: side, keywords: keywords)
  }
}
