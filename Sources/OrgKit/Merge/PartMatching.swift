/// Matches the parts of one version with those of another: blocks, list items, rows and log items.
///
/// Equal parts in the longest common subsequence are pairs; the others are paired by similarity.
struct PartMatching {
  private(set) var ofBase: [Int?]
  private(set) var ofSide: [Int?]
  /// The similarity of parts that were paired by it, by the part of the base.
  private var strengths: [Int: Double] = [:]
  /// The maximum number of pairs that are compared exhaustively.
  private static let pairLimit = 200 * 200
  /// The maximum distance of an equal part.
  private static let reach = 64
  /// The minimum share of common words if the other side deleted the part; with less it is another part.
  private static let share = 0.4

  /// Pairs parts with equal meaning, in order.
  init(_ base: [[UInt8]], _ side: [[UInt8]]) {
    ofBase = Alignment(base, side).slidToStart(base, side).partners
    ofSide = Array(repeating: nil, count: side.count)
    for case (let left, let right?) in ofBase.enumerated() { ofSide[right] = left }
  }

  /// Pairs parts with equal keys, in order. Of several parts with this key at a place, the partner is the one with the same
  /// meaning, otherwise the most similar one; so a part whose key was changed to that of its neighbour is not the neighbour.
  init(keys: (base: [[UInt8]], side: [[UInt8]]), meanings: (base: [[UInt8]], side: [[UInt8]])) {
    self.init(keys.base, keys.side)
    guard ofBase.contains(nil) || ofSide.contains(nil) else { return }
    for node in Array(ofBase.indices.reversed()) + Array(ofBase.indices) {
      guard let partner = ofBase[node], meanings.base[node] != meanings.side[partner] else { continue }
      let nodes = Self.free(around: node, ofBase).filter { keys.base[$0] == keys.base[node] }
      let partners = Self.free(around: partner, ofSide).filter { keys.side[$0] == keys.side[partner] }
      let others = nodes.map { ($0, partner) } + partners.map { (node, $0) }
      guard let best = Self.mostAlike([(node, partner)] + others, meanings) else { continue }
      separate(node)
      pair(best.0, best.1)
    }
  }

  /// Returns the pair with the same meaning, otherwise the most similar one; the first of equal ones.
  private static func mostAlike(
    _ pairs: [(Int, Int)], _ meanings: (base: [[UInt8]], side: [[UInt8]])
  ) -> (Int, Int)? {
    if pairs.count == 1 { return pairs[0] }
    let scored = pairs.map { node, partner in
      let (one, other) = (meanings.base[node], meanings.side[partner])
      return (node, partner, one == other ? 2 : WordBag(one[...]).likeness(to: WordBag(other[...])))
    }
    return scored.reduce(scored.first) { best, pair in pair.2 > best?.2 ?? 0 ? pair : best }.map { ($0.0, $0.1) }
  }

  /// Returns the parts without a partner between the nearest parts that have one.
  private static func free(around place: Int, _ partners: [Int?]) -> [Int] {
    let above = partners[..<place].suffix(reach).reversed().prefix { $0 == nil }.count
    let below = partners[(place + 1)...].prefix(reach).prefix { $0 == nil }.count
    return Array(place - above..<place) + Array(place + 1..<place + 1 + below)
  }

  /// A matching without pairs.
  init(baseCount: Int, sideCount: Int) {
    ofBase = Array(repeating: nil, count: baseCount)
    ofSide = Array(repeating: nil, count: sideCount)
  }

  /// Matches only the unpaired parts of two matchings against the base; all others count as paired.
  fileprivate init(additionsOf ours: PartMatching, _ theirs: PartMatching) {
    ofBase = ours.ofSide.map { $0 == nil ? nil : Self.taken }
    ofSide = theirs.ofSide.map { $0 == nil ? nil : Self.taken }
  }

  private static let taken = -1

  mutating func pair(_ left: Int, _ right: Int) {
    ofBase[left] = right
    ofSide[right] = left
  }

  private mutating func pairWeakly(_ left: Int, _ right: Int, _ strength: Double) {
    pair(left, right)
    strengths[left] = strength
  }

  fileprivate mutating func separate(_ left: Int) {
    if let right = ofBase[left] { ofSide[right] = nil }
    ofBase[left] = nil
    strengths[left] = nil
  }

  /// Pairs remaining parts with equal keys, in order.
  mutating func pairEqual<Key: Hashable>(_ baseKey: (Int) -> Key?, _ sideKey: (Int) -> Key?) {
    var waiting: [Key: [Int]] = [:]
    for right in ofSide.indices.reversed() where ofSide[right] == nil {
      if let key = sideKey(right) { waiting[key, default: []].append(right) }
    }
    for left in ofBase.indices where ofBase[left] == nil {
      guard let key = baseKey(left), let right = waiting[key]?.popLast() else { continue }
      pair(left, right)
    }
  }

  /// Pairs remaining parts from the greatest similarity down to `threshold`; their facts are computed only when needed.
  mutating func pairAlike<Facts>(
    from threshold: Double, _ baseFacts: (Int) -> Facts, _ sideFacts: (Int) -> Facts,
    likeness: (Facts, Facts) -> Double
  ) {
    let left = ofBase.indices.filter { ofBase[$0] == nil }
    let right = ofSide.indices.filter { ofSide[$0] == nil }
    guard !left.isEmpty, !right.isEmpty, left.count * right.count <= Self.pairLimit else { return }
    let others = right.map { (node: $0, facts: sideFacts($0)) }
    var scored: [(left: Int, right: Int, likeness: Double)] = []
    for node in left {
      let facts = baseFacts(node)
      for other in others {
        let score = likeness(facts, other.facts)
        if score >= threshold { scored.append((node, other.node, score)) }
      }
    }
    // The order is the same when the lists are exchanged: pairs that it does not distinguish share no part.
    scored.sort {
      ($1.likeness, $0.left + $0.right, abs($0.left - $0.right), $0.left)
        < ($0.likeness, $1.left + $1.right, abs($1.left - $1.right), $1.left)
    }
    for pair in scored where ofBase[pair.left] == nil && ofSide[pair.right] == nil {
      pairWeakly(pair.left, pair.right, pair.likeness)
    }
  }

  /// Pairs the only unpaired parts of a kind between two pairs, if `mayPair` agrees.
  mutating func pairNeighbours<Kind: Hashable>(
    _ baseKind: (Int) -> Kind, _ sideKind: (Int) -> Kind, _ mayPair: (Int, Int) -> Bool
  ) {
    var (left, right) = (0, 0)
    let anchors = ofBase.indices.compactMap { index in ofBase[index].map { (index, $0) } }
    for (leftEnd, rightEnd) in anchors + [(ofBase.count, ofSide.count)] {
      if left <= leftEnd, right <= rightEnd {
        let free = (left..<leftEnd).filter { ofBase[$0] == nil }
        let others = (right..<rightEnd).filter { ofSide[$0] == nil }
        pairOnly(Dictionary(grouping: free, by: baseKind), Dictionary(grouping: others, by: sideKind), mayPair)
      }
      (left, right) = (leftEnd + 1, rightEnd + 1)
    }
  }

  /// Pairs a part that a side lacks with its replacement there, if that is a single part of its kind and the other side also
  /// replaced the part, or did not change it: the texts need not share a word.
  static func pairReplaced<Kind: Equatable>(
    _ ours: inout PartMatching, _ theirs: inout PartMatching, kinds: Three<(Int) -> Kind>, meanings: Three<[[UInt8]]>
  ) {
    for node in ours.ofBase.indices {
      let left = ours.substitute(of: node).flatMap { kinds.ours($0) == kinds.base(node) ? $0 : nil }
      let right = theirs.substitute(of: node).flatMap { kinds.theirs($0) == kinds.base(node) ? $0 : nil }
      let isLeftAlone = (
        ours: ours.ofBase[node].map { meanings.ours[$0] == meanings.base[node] } ?? false,
        theirs: theirs.ofBase[node].map { meanings.theirs[$0] == meanings.base[node] } ?? false
      )
      if let left, right != nil || isLeftAlone.theirs { ours.pairWeakly(node, left, 0) }
      if let right, left != nil || isLeftAlone.ours { theirs.pairWeakly(node, right, 0) }
    }
  }

  /// The parts of the base that are in order on the side; as few others as possible have moved.
  private var unmoved: Set<Int> {
    let pairs = ofBase.indices.compactMap { index in ofBase[index].map { (index, $0) } }
    return Set(longestRise(pairs.map(\.1)).map { pairs[$0].0 })
  }

  /// Returns the only part between the neighbours of an unpaired part of the base.
  private func substitute(of node: Int) -> Int? {
    guard ofBase[node] == nil else { return nil }
    let before = node == 0 ? -1 : ofBase[node - 1]
    let after = node + 1 == ofBase.count ? ofSide.count : ofBase[node + 1]
    guard let before, let after, after == before + 2, ofSide[before + 1] == nil else { return nil }
    return before + 1
  }

  private mutating func pairOnly<Kind: Hashable>(
    _ left: [Kind: [Int]], _ right: [Kind: [Int]], _ mayPair: (Int, Int) -> Bool
  ) {
    for (kind, free) in left {
      guard free.count == 1, let others = right[kind], others.count == 1, mayPair(free[0], others[0]) else { continue }
      pairWeakly(free[0], others[0], 0)
    }
  }
}

// MARK: - Both sides

extension PartMatching {
  /// Returns two matchings against one base without the pairs by similarity that the other side makes doubtful: a part with the
  /// other side's text is that part, and a part that the other side added is an addition here as well.
  fileprivate static func reconsidered(
    _ ours: PartMatching, _ theirs: PartMatching, _ meanings: Three<[[UInt8]]>
  ) -> (PartMatching, PartMatching) {
    let exchanged = Three(base: meanings.base, ours: meanings.theirs, theirs: meanings.ours)
    let left = ours.uncrossed(meanings).straightened({ meanings.base[$0] }, { meanings.ours[$0] })
    let right = theirs.uncrossed(exchanged).straightened({ meanings.base[$0] }, { meanings.theirs[$0] })
    let agreed = left.agreeing(with: right, meanings.base)
    let other = right.agreeing(with: agreed, meanings.base)
    // What the other side added is known only after its own pairs were reconsidered.
    let known = (agreed.recognising(other, meanings), other.recognising(agreed, exchanged))
    return (known.0.reconsidered(beside: known.1, meanings), known.1.reconsidered(beside: known.0, exchanged))
  }

  /// Returns the matching in which the partners of equal parts are in order: if one of several copies was changed, the others
  /// remain what they are. `meanings` are those of the base, of this side and of the other one.
  private func uncrossed(_ meanings: Three<[[UInt8]]>) -> PartMatching {
    if strengths.isEmpty { return self }
    var matching = self
    for nodes in copies(of: matching.ofBase, meanings.base) {
      // A partner is as similar to one copy as to another.
      let pairs = nodes.map { (partner: matching.ofBase[$0] ?? 0, strength: matching.strengths[$0]) }
      matching.reassignUnlessEntangling(nodes, to: pairs.sorted { $0.partner < $1.partner })
    }
    for partners in copies(of: matching.ofSide, meanings.ours) {
      let nodes = partners.compactMap { matching.ofSide[$0] }.sorted()
      matching.reassignUnlessEntangling(nodes, to: zip(partners, nodes).map { ($0, matching.strengths[$1]) })
    }
    return matching
  }

  /// Returns the paired parts with the same meaning, in order.
  private func copies(of partners: [Int?], _ meanings: [[UInt8]]) -> [[Int]] {
    let paired = partners.indices.filter { partners[$0] != nil }
    // In a fixed order: what becomes of one group depends on those before it, and all devices must match alike.
    return Dictionary(grouping: paired) { LineKey(meanings[$0][...]) }.values.filter { $0.count > 1 }.sorted {
      $0[0] < $1[0]
    }
  }

  /// Gives parts other partners, unless the unchanged ones among them would then cross more others: a new part far away is not
  /// the nearest of several copies, reworded.
  private mutating func reassignUnlessEntangling(_ nodes: [Int], to pairs: [(partner: Int, strength: Double?)]) {
    if zip(nodes, pairs).allSatisfy({ ofBase[$0] == $1.partner }) { return }
    var changed = self
    changed.reassign(nodes, to: pairs)
    let isSmall = nodes.count * ofBase.count <= Self.pairLimit
    if isSmall, changed.crossingsOfEqual(nodes) > crossingsOfEqual(nodes) { return }
    self = changed
  }

  /// Returns the number of pairs that the unchanged ones among some parts cross.
  private func crossingsOfEqual(_ nodes: [Int]) -> Int {
    nodes.reduce(0) { sum, node in
      guard strengths[node] == nil, let partner = ofBase[node] else { return sum }
      return sum + crossings(node, partner)
    }
  }

  private mutating func reassign(_ nodes: [Int], to pairs: [(partner: Int, strength: Double?)]) {
    for (node, pair) in zip(nodes, pairs) {
      self.pair(node, pair.partner)
      strengths[node] = pair.strength
    }
  }

  /// Returns the matching in which, of several equal parts, the partner is the one that crosses the fewest other pairs: a side
  /// that lacks one of two copies has deleted one, and not also moved the other.
  func straightened<Key: Equatable>(_ baseKey: (Int) -> Key, _ sideKey: (Int) -> Key) -> PartMatching {
    guard ofBase.contains(nil) || ofSide.contains(nil), hasCrossings else { return self }
    var matching = self
    for node in ofBase.indices.filter({ ofBase[$0] != nil }).prefix(Self.pairLimit / ofBase.count) {
      guard let partner = matching.ofBase[node], matching.crossings(node, partner) > 0 else { continue }
      let equal =
        matching.free(around: node, matching.ofBase) { baseKey($0) == baseKey(node) }.map { ($0, partner) }
        + matching.free(around: partner, matching.ofSide) { sideKey($0) == sideKey(partner) }.map { (node, $0) }
      if equal.isEmpty { continue }
      let strength = matching.strengths[node]
      matching.separate(node)
      let scored = ([(node, partner)] + equal).map { ($0, matching.crossings($0.0, $0.1)) }
      guard let best = scored.min(by: { $0.1 < $1.1 })?.0 else { continue }
      matching.pair(best.0, best.1)
      matching.strengths[best.0] = strength
    }
    return matching
  }

  /// True if a part has moved.
  private var hasCrossings: Bool {
    let partners = ofBase.compactMap(\.self)
    return zip(partners, partners.dropFirst()).contains { $0 > $1 }
  }

  /// Returns the number of pairs whose order a pair of these parts would invert.
  private func crossings(_ node: Int, _ partner: Int) -> Int {
    ofBase.indices.count { other in
      guard other != node, let otherPartner = ofBase[other], otherPartner != partner else { return false }
      return (other < node) != (otherPartner < partner)
    }
  }

  /// Returns the parts without a partner near one part for which `isEqual` is true.
  private func free(around place: Int, _ partners: [Int?], _ isEqual: (Int) -> Bool) -> [Int] {
    (max(0, place - Self.reach)..<min(partners.count, place + Self.reach)).filter { partners[$0] == nil && isEqual($0) }
  }

  /// Returns the matching in which the part that remains of several equal ones is the one that the other side kept, if the order
  /// allows it.
  private func agreeing(with other: PartMatching, _ meanings: [[UInt8]]) -> PartMatching {
    if !ofBase.contains(nil) || !other.ofBase.contains(nil) && other.strengths.isEmpty { return self }
    var matching = self
    for node in ofBase.indices where !other.isKept(node) && strengths[node] == nil {
      guard let partner = matching.ofBase[node] else { continue }
      let equal = (matching.free(below: node) + matching.free(above: node)).first {
        other.isKept($0) && meanings[$0] == meanings[node]
      }
      guard let equal else { continue }
      matching.separate(node)
      matching.pair(equal, partner)
    }
    return matching
  }

  /// Returns true if a part of the base has a partner that is not only similar.
  private func isKept(_ node: Int) -> Bool { ofBase[node] != nil && strengths[node] == nil }

  /// Returns the parts without a partner up to the next one that has one.
  private func free(below node: Int) -> [Int] {
    Array(ofBase.indices[(node + 1)...].prefix(Self.reach).prefix { ofBase[$0] == nil })
  }

  private func free(above node: Int) -> [Int] {
    Array(ofBase.indices[..<node].suffix(Self.reach).reversed().prefix { ofBase[$0] == nil })
  }

  /// True if nothing is doubtful and nothing remains that could be paired differently.
  private var isCertain: Bool { strengths.isEmpty && (!ofBase.contains(nil) || !ofSide.contains(nil)) }

  /// Returns the matching in which each part with the text that the other side wrote is that part. `meanings` are those of the
  /// base, of this side and of the other one.
  private func recognising(_ other: PartMatching, _ meanings: Three<[[UInt8]]>) -> PartMatching {
    if isCertain { return self }
    var matching = self
    var open: [LineKey: [Int]] = [:]
    for node in ofSide.indices where ofSide[node].map({ strengths[$0] != nil }) ?? true {
      open[LineKey(meanings.ours[node][...]), default: []].append(node)
    }
    for node in ofBase.indices where ofBase[node] == nil || strengths[node] != nil {
      guard let elsewhere = other.ofBase[node], meanings.theirs[elsewhere] != meanings.base[node],
        let found = open[LineKey(meanings.theirs[elsewhere][...])], found.count == 1, found[0] != ofBase[node]
      else { continue }
      if let former = matching.ofSide[found[0]] { matching.separate(former) }
      matching.separate(node)
      matching.pair(node, found[0])
    }
    return matching
  }

  /// Returns the matching without doubtful pairs. `meanings` are as above.
  private func reconsidered(beside other: PartMatching, _ meanings: Three<[[UInt8]]>) -> PartMatching {
    if isCertain { return self }
    var matching = self
    // A part with hardly a word of one that the other side deleted is another part; so is one that was moved and reworded.
    let unmoved = matching.unmoved
    for node in matching.strengths.keys where other.ofBase[node] == nil {
      guard let partner = matching.ofBase[node] else { continue }
      let share = WordBag(Meaning.unframed(meanings.ours[partner]))
        .share(in: WordBag(Meaning.unframed(meanings.base[node])))
      if share < (unmoved.contains(node) ? Self.share : 1) { matching.separate(node) }
    }
    let additions = Set(
      other.ofSide.indices.filter { other.ofSide[$0] == nil }.map { LineKey(meanings.theirs[$0][...]) })
    for node in matching.strengths.keys {
      guard let partner = matching.ofBase[node] else { continue }
      if additions.contains(LineKey(meanings.ours[partner][...])) { matching.separate(node) }
    }
    return matching
  }
}

/// The places of parts in two sides: the nearest parts of the base above and below that both sides have.
struct AdditionPlaces {
  private let above: (ours: [Int], theirs: [Int])
  private let below: (ours: [Int], theirs: [Int])

  init(_ ours: PartMatching, _ theirs: PartMatching) {
    let isShared = ours.ofBase.indices.map { ours.ofBase[$0] != nil && theirs.ofBase[$0] != nil }
    func above(_ parts: some Sequence<Int?>) -> [Int] {
      var last = -1
      return parts.map { part in
        defer { if let part, isShared[part] { last = part } }
        return last
      }
    }
    self.above = (above(ours.ofSide), above(theirs.ofSide))
    below = (above(ours.ofSide.reversed()).reversed(), above(theirs.ofSide.reversed()).reversed())
  }

  /// Returns true if a part of our side and a part of their side are at the same place.
  func areOne(_ left: Int, _ right: Int) -> Bool {
    above.ours[left] == above.theirs[right] || below.ours[left] == below.theirs[right]
  }

  /// Pairs equal parts that both sides added at the same place, in order.
  func pairEqual(_ added: inout PartMatching, _ ours: (Int) -> [UInt8], _ theirs: (Int) -> [UInt8]) {
    added.pairEqual({ Key(text: ours($0), place: above.ours[$0]) }, { Key(text: theirs($0), place: above.theirs[$0]) })
    added.pairEqual({ Key(text: ours($0), place: below.ours[$0]) }, { Key(text: theirs($0), place: below.theirs[$0]) })
  }

  private struct Key: Hashable {
    let text: [UInt8]
    let place: Int
  }
}

/// The parts of three versions, each part once.
struct MatchedParts {
  /// The index of a part in each version.
  private(set) var parts: [Three<Int?>] = []
  /// The orders of the versions, as numbers of parts.
  private(set) var orders: Three<[Int]>

  /// Combines two matchings against the base; `additions` pairs additions of both sides, and `meanings` are those of the sides'
  /// parts.
  init(
    _ ours: PartMatching, _ theirs: PartMatching, meanings: Three<[[UInt8]]>,
    additions: (inout PartMatching, AdditionPlaces) -> Void
  ) {
    let (ours, theirs) = PartMatching.reconsidered(ours, theirs, meanings)
    let places = AdditionPlaces(ours, theirs)
    parts = ours.ofBase.indices.map { Three(base: $0, ours: ours.ofBase[$0], theirs: theirs.ofBase[$0]) }
    var added = PartMatching(additionsOf: ours, theirs)
    additions(&added, places)
    var (leftOrder, rightOrder) = (ours.ofSide.map { $0 ?? -1 }, theirs.ofSide.map { $0 ?? -1 })
    for left in ours.ofSide.indices where ours.ofSide[left] == nil {
      let right = added.ofBase[left]
      leftOrder[left] = parts.count
      if let right { rightOrder[right] = parts.count }
      parts.append(Three(base: nil, ours: left, theirs: right))
    }
    for right in theirs.ofSide.indices where rightOrder[right] < 0 {
      rightOrder[right] = parts.count
      parts.append(Three(base: nil, ours: nil, theirs: right))
    }
    orders = Three(base: Array(ours.ofBase.indices), ours: leftOrder, theirs: rightOrder)
  }
}
