/// Matches the entries of the base with those of a side; every entry has at most one partner.
///
/// Entries that neither side changed are matched by their bytes in file order. For the others, evidence is tried from strong to
/// weak: IDs, equal title and text, equal title under the same parent, children, similarity.
struct EntryMatching {
  /// The maximum number of pairs that are compared exhaustively; beyond that, only those that share a rare word.
  static let pairLimit = 400 * 400
  /// The maximum number of entries with a rare word.
  private static let rarity = 8
  static let threshold = 0.5
  /// Less similar pairs are dropped if the other side has no such entry.
  static let firmness = 0.75
  /// The minimum number of words of a title that identifies an entry without text.
  private static let namingWords = 3

  var ofBase: [Int?]
  var ofSide: [Int?]
  let base: Outline
  let side: Outline
  let keywords: Keywords
  private var baseFacts: [Int: EntryFacts] = [:]
  var sideFacts: [Int: EntryFacts] = [:]
  private var baseWords: [Int: EntryTokens] = [:]
  private var sideWords: [Int: EntryTokens] = [:]
  /// The similarity of pairs with weak evidence, by the node in the base.
  var strengths: [Int: Double] = [:]

  /// Matches two outlines whose files correspond by `roots`.
  init(_ base: Outline, _ side: Outline, roots: [(base: Int, side: Int)], keywords: Keywords) {
    var table = LineTable()
    let texts = (table.numbers(ofEntries: base), table.numbers(ofEntries: side))
    self.init(base, side, roots: roots, texts: texts, count: table.count, keywords: keywords)
  }

  /// The same, with a number below `count` for the text of every entry; equal texts have equal numbers.
  init(
    _ base: Outline, _ side: Outline, roots: [(base: Int, side: Int)], texts: (base: [Int32], side: [Int32]),
    count: Int, keywords: Keywords
  ) {
    (self.base, self.side, self.keywords) = (base, side, keywords)
    ofBase = Array(repeating: nil, count: base.nodes.count)
    ofSide = Array(repeating: nil, count: side.nodes.count)
    for root in roots { pair(root.base, root.side) }
    pairUntouched(texts.base, texts.side, count)
    learnFacts()
    if !baseFacts.isEmpty, !sideFacts.isEmpty { pairChanged() }
    straighten()
  }

  /// Pairs the entries that a side changed.
  private mutating func pairChanged() {
    pairUnique { $0.id }
    pairUnique { $0.customID }
    pairUnique { $0.content }
    pairChildrenByTitle()
    baseWords = baseFacts.mapValues(\.words)
    sideWords = sideFacts.mapValues(\.words)
    pairUniqueTitles()
    pairChildrenByTitle()
    pairByLikeness(from: Self.firmness)
    pairByChildren()
    pairByLikeness(from: Self.threshold)
    pairBetweenNeighbours()
  }

  mutating func pair(_ left: Int, _ right: Int) {
    ofBase[left] = right
    ofSide[right] = left
    baseFacts[left] = nil
    sideFacts[right] = nil
  }

  /// Pairs entries with equal bytes in file order, if they are unique or their parents are paired too.
  private mutating func pairUntouched(_ left: [Int32], _ right: [Int32], _ symbols: Int) {
    let counts = (occurrences(left, symbols), occurrences(right, symbols))
    let alignment = Alignment(left, right, symbols: symbols)
    for (node, partner) in alignment.partners.enumerated() {
      guard let partner, ofBase[node] == nil, ofSide[partner] == nil,
        base.nodes[node].level > 0, side.nodes[partner].level > 0
      else { continue }
      let number = Int(left[node])
      let isUnique = counts.0[number] == 1 && counts.1[number] == 1 && !base.section(node).isEmpty
      if isUnique || areUnderPair(node, partner) { pair(node, partner) }
    }
  }

  private func occurrences(_ numbers: [Int32], _ count: Int) -> [Int] {
    numbers.reduce(into: Array(repeating: 0, count: count)) { $0[Int($1)] += 1 }
  }

  func areUnderPair(_ left: Int, _ right: Int) -> Bool {
    ofBase[base.nodes[left].parent] == side.nodes[right].parent
  }

  private mutating func learnFacts() {
    for node in base.nodes.indices where ofBase[node] == nil && base.nodes[node].level > 0 {
      baseFacts[node] = EntryFacts(node, of: base, keywords: keywords)
    }
    for node in side.nodes.indices where ofSide[node] == nil && side.nodes[node].level > 0 {
      sideFacts[node] = EntryFacts(node, of: side, keywords: keywords)
    }
  }
}

// MARK: - Strong evidence

extension EntryMatching {
  /// Pairs entries whose `key` is equal and unique on both sides.
  private mutating func pairUnique<Key: Hashable>(_ key: (EntryFacts) -> Key?) {
    for (node, partner) in pairsOfUnique(key) where mayPair(node, partner) { pair(node, partner) }
  }

  /// Returns the entries whose `key` is equal and unique on both sides, in the order of the base: the strength of a pair
  /// depends on earlier pairs, and nothing may depend on the order of a dictionary.
  private func pairsOfUnique<Key: Hashable>(_ key: (EntryFacts) -> Key?) -> [(Int, Int)] {
    let right = uniqueOwners(sideFacts, key)
    return uniqueOwners(baseFacts, key).compactMap { key, node in right[key].map { (node, $0) } }.sorted { $0.0 < $1.0 }
  }

  private func uniqueOwners<Key: Hashable>(_ facts: [Int: EntryFacts], _ key: (EntryFacts) -> Key?) -> [Key: Int] {
    var owners: [Key: Int?] = [:]
    for (node, facts) in facts {
      if let key = key(facts) { owners[key] = owners[key] == nil ? .some(node) : .some(nil) }
    }
    return owners.compactMapValues(\.self)
  }

  private func mayPair(_ left: Int, _ right: Int) -> Bool {
    guard let one = baseFacts[left], let other = sideFacts[right] else { return false }
    return one.mayBe(other)
  }

  /// Pairs equal titles unless both have a text and the texts differ.
  private mutating func pairUniqueTitles() {
    for (node, partner) in pairsOfUnique({ $0.title }) {
      guard mayPair(node, partner), let one = baseWords[node], let other = sideWords[partner] else { continue }
      let agree = !one.hasText || !other.hasText || one.text.likeness(to: other.text) >= 0.3
      if agree { pairWeakly(node, partner) }
    }
  }

  /// The parents of unpaired entries, from the top of the base down.
  private var unpairedParents: [Int] { Set(baseFacts.keys.map { base.nodes[$0].parent }).sorted() }

  /// Pairs children of pairs with equal titles, from the top down.
  private mutating func pairChildrenByTitle() {
    for node in unpairedParents {
      guard let partner = ofBase[node] else { continue }
      let left = Dictionary(grouping: base.children(of: node).filter { ofBase[$0] == nil }) { baseFacts[$0]?.title }
      if left.isEmpty { continue }
      let right = Dictionary(grouping: side.children(of: partner).filter { ofSide[$0] == nil }) { sideFacts[$0]?.title }
      for (title, children) in left { pairNamesakes(children, right[title] ?? []) }
    }
  }

  /// Pairs entries with the same title under the same parent; only an identical text among the other side's additions can
  /// dissolve the pair.
  private mutating func pairByTitle(_ left: Int, _ right: Int) {
    strengths[left] = 1
    pair(left, right)
  }

  /// Pairs entries with the same title under the same parent: the most similar text first, then the smallest distance.
  private mutating func pairNamesakes(_ left: [Int], _ right: [Int]) {
    if left.count == 1, right.count == 1 {
      if mayPair(left[0], right[0]) { pairByTitle(left[0], right[0]) }
      return
    }
    // Too many to compare exhaustively are paired in order.
    if left.count * right.count > Self.pairLimit {
      for (node, partner) in zip(left, right) where mayPair(node, partner) { pairByTitle(node, partner) }
      return
    }
    var candidates: [Candidate] = []
    let words = right.map { sideFacts[$0]?.words }
    for (place, node) in left.enumerated() {
      guard let own = baseFacts[node]?.words else { continue }
      for (otherPlace, partner) in right.enumerated() where mayPair(node, partner) {
        guard let other = words[otherPlace] else { continue }
        candidates.append(
          Candidate(
            left: node, right: partner, likeness: own.text.likeness(to: other.text),
            whole: own.wholeLikeness(to: other), distance: abs(place - otherPlace)))
      }
    }
    for candidate in candidates.sorted() where ofBase[candidate.left] == nil && ofSide[candidate.right] == nil {
      pairByTitle(candidate.left, candidate.right)
    }
  }
}

// MARK: - Weak evidence

extension EntryMatching {
  private mutating func pairWeakly(_ left: Int, _ right: Int) {
    if let one = baseWords[left], let other = sideWords[right] {
      // A short title without text means little under another parent.
      let isNamed = one.hasText || other.hasText || one.title.total >= Self.namingWords
      let malus = areUnderPair(left, right) ? 0 : isNamed ? 0.1 : 0.3
      strengths[left] = one.likeness(to: other, underMatchedParents: false) - malus
    }
    pair(left, right)
  }

  /// From the bottom up, pairs an entry with the base entry that has at least half of its children.
  private mutating func pairByChildren() {
    for node in sideFacts.keys.sorted(by: >) {
      let children = side.children(of: node)
      var votes: [Int: Int] = [:]
      for child in children {
        guard let partner = ofSide[child] else { continue }
        votes[base.nodes[partner].parent, default: 0] += 1
      }
      let best = votes.filter { ofBase[$0.key] == nil && base.nodes[$0.key].level > 0 && mayPair($0.key, node) }
        .min { ($1.value, $0.key) < ($0.value, $1.key) }
      if let best, 2 * best.value >= children.count { pairWeakly(best.key, node) }
    }
  }

  private mutating func pairByLikeness(from threshold: Double) {
    var scored: [Candidate] = []
    for (left, right) in candidates() where mayPair(left, right) {
      guard let one = baseWords[left], let other = sideWords[right] else { continue }
      let likeness = one.likeness(to: other, underMatchedParents: areUnderPair(left, right))
      guard likeness >= threshold else { continue }
      scored.append(
        Candidate(left: left, right: right, likeness: likeness, whole: one.wholeLikeness(to: other), distance: 0))
    }
    for pair in scored.sorted() where ofBase[pair.left] == nil && ofSide[pair.right] == nil {
      pairWeakly(pair.left, pair.right)
    }
  }

  /// Pairs the only unpaired children between two pairs, or at an end, if a quarter is equal.
  private mutating func pairBetweenNeighbours() {
    for node in unpairedParents {
      guard let partner = ofBase[node] else { continue }
      // Entries that moved in or away are not between their neighbours.
      let children = base.children(of: node).filter { ofBase[$0].map { side.nodes[$0].parent == partner } ?? true }
      let others = side.children(of: partner).filter { ofSide[$0].map { base.nodes[$0].parent == node } ?? true }
      guard children.contains(where: { ofBase[$0] == nil }), others.contains(where: { ofSide[$0] == nil }) else {
        continue
      }
      let places = Dictionary(uniqueKeysWithValues: zip(others, others.indices))
      var matching = PartMatching(baseCount: children.count, sideCount: others.count)
      for (place, child) in children.enumerated() {
        if let other = ofBase[child].flatMap({ places[$0] }) { matching.pair(place, other) }
      }
      matching.pairNeighbours({ _ in 0 }, { _ in 0 }, { isFaintlyAlike(children[$0], others[$1]) })
      for (place, other) in matching.ofBase.enumerated() {
        if let other, ofBase[children[place]] == nil, ofSide[others[other]] == nil {
          pairWeakly(children[place], others[other])
        }
      }
    }
  }

  /// Pairs equal entries without children under one parent so that the fewest others seem to have moved.
  private mutating func straighten() {
    for (node, partner) in openParents {
      let children = base.children(of: node).filter { isOpen($0, ofBase, base, under: partner, side) }
      let others = side.children(of: partner).filter { isOpen($0, ofSide, side, under: node, base) }
      let places = Dictionary(uniqueKeysWithValues: zip(others, others.indices))
      var matching = PartMatching(baseCount: children.count, sideCount: others.count)
      for (place, child) in children.enumerated() {
        if let other = ofBase[child].flatMap({ places[$0] }) { matching.pair(place, other) }
      }
      let straight = matching.straightened({ base.entry(children[$0]) }, { side.entry(others[$0]) })
      let changed = children.indices.filter { straight.ofBase[$0] != matching.ofBase[$0] }
      for place in changed { separate(children[place]) }
      for place in changed {
        if let other = straight.ofBase[place] { pair(children[place], others[other]) }
      }
    }
  }

  /// The pairs of parents of which one has an unpaired child, from the top of the base down.
  private var openParents: [(Int, Int)] {
    let left = ofBase.indices.filter { ofBase[$0] == nil && base.nodes[$0].level > 0 }.map { base.nodes[$0].parent }
    let right = ofSide.indices.filter { ofSide[$0] == nil && side.nodes[$0].level > 0 }
      .compactMap { ofSide[side.nodes[$0].parent] }
    return Set(left + right).sorted().compactMap { node in ofBase[node].map { (node, $0) } }
  }

  /// Returns true if an entry has no children and is unpaired, or its partner is under `parent`.
  private func isOpen(_ node: Int, _ partners: [Int?], _ own: Outline, under parent: Int, _ other: Outline) -> Bool {
    own.children(of: node).isEmpty && (partners[node].map { other.nodes[$0].parent == parent } ?? true)
  }

  private func isFaintlyAlike(_ left: Int, _ right: Int) -> Bool {
    guard mayPair(left, right), let one = baseWords[left], let other = sideWords[right] else { return false }
    return one.likeness(to: other, underMatchedParents: false) >= 0.25
  }

  private func candidates() -> [(Int, Int)] {
    if baseFacts.count * sideFacts.count <= Self.pairLimit {
      return baseFacts.keys.flatMap { left in sideFacts.keys.map { (left, $0) } }
    }
    let left = rareWords(baseWords.filter { baseFacts[$0.key] != nil })
    let right = rareWords(sideWords.filter { sideFacts[$0.key] != nil })
    var found: Set<NodePair> = []
    for (word, nodes) in left {
      for node in nodes { for partner in right[word] ?? [] { found.insert(NodePair(left: node, right: partner)) } }
    }
    return found.map { ($0.left, $0.right) }
  }

  private struct NodePair: Hashable {
    var left: Int
    var right: Int
  }

  /// Returns the entries with each rare word.
  private func rareWords(_ words: [Int: EntryTokens]) -> [UInt64: [Int]] {
    var owners: [UInt64: [Int]] = [:]
    for (node, words) in words {
      for word in Set(words.title.counts.keys).union(words.text.counts.keys) {
        owners[word, default: []].append(node)
      }
    }
    return owners.filter { $0.value.count <= Self.rarity }
  }
}

/// A possible pair; better pairs come first.
struct Candidate: Comparable {
  let left: Int
  let right: Int
  let likeness: Double
  /// The similarity of the whole entries, if title and text do not decide.
  let whole: Double
  /// The distance of their positions.
  let distance: Int

  static func < (one: Candidate, other: Candidate) -> Bool {
    (other.likeness, other.whole, one.distance, one.left, one.right)
      < (one.likeness, one.whole, other.distance, other.left, other.right)
  }
}

extension LineTable {
  /// Returns one number per entry of an outline; equal texts have equal numbers.
  mutating func numbers(ofEntries outline: Outline) -> [Int32] {
    numbers(of: outline.nodes.indices.map(outline.entry))
  }
}
