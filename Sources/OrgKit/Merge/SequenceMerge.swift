/// Merges the order of members that both sides may have moved, removed and inserted.
///
/// Members are numbers with the same meaning in all three orders. Order alone is never a conflict, because no content is at
/// stake, and the rules are symmetric.
struct SequenceMerge {
  /// How members that both sides inserted at the same position are ordered.
  enum Insertions {
    /// Each side's run stays whole.
    case runs
    /// Every member separately, in byte order.
    case sorted
    /// Every member separately, by time.
    case byTime(latestFirst: Bool)
  }

  /// The maximum number of members up to which two reorderings are combined.
  private static let reorderingLimit = 5000

  private let base: [Int]
  private let ours: [Int]
  private let theirs: [Int]
  private let survivors: Set<Int>
  private let insertions: Insertions
  /// Returns the creation time of a member, if known.
  private let stamp: (Int) -> OrgTimestamp?
  /// Returns the rank of a member among those that both sides inserted at one position.
  private let rank: (Int) -> Int
  /// Returns the text that breaks ties between members.
  private let text: (Int) -> [UInt8]

  /// Returns the merged order of `survivors`, each of which is in at least one of `orders`.
  static func merge(
    _ orders: Three<[Int]>, survivors: Set<Int>, insertions: Insertions = .runs,
    stamp: @escaping (Int) -> OrgTimestamp? = { _ in nil }, rank: @escaping (Int) -> Int = { _ in 0 },
    text: @escaping (Int) -> [UInt8]
  ) -> [Int] {
    let kept = orders.map { $0.filter(survivors.contains) }
    if kept.ours == kept.theirs, kept.ours.count == survivors.count { return kept.ours }
    let merge = SequenceMerge(
      base: kept.base, ours: kept.ours, theirs: kept.theirs, survivors: survivors, insertions: insertions, stamp: stamp,
      rank: rank, text: text)
    return merge.subsuming() ?? merge.woven()
  }

  private init(
    base: [Int], ours: [Int], theirs: [Int], survivors: Set<Int>, insertions: Insertions,
    stamp: @escaping (Int) -> OrgTimestamp?, rank: @escaping (Int) -> Int, text: @escaping (Int) -> [UInt8]
  ) {
    (self.base, self.ours, self.theirs, self.survivors) = (base, ours, theirs, survivors)
    (self.insertions, self.stamp, self.rank, self.text) = (insertions, stamp, rank, text)
  }

  /// Returns the order of a side that has every survivor, if the other side's members are in the same order there.
  private func subsuming() -> [Int]? {
    if ours.count == survivors.count, isSubsequence(theirs, of: ours) { return ours }
    if theirs.count == survivors.count, isSubsequence(ours, of: theirs) { return theirs }
    return nil
  }

  private func woven() -> [Int] {
    let old = mergedOldMembers()
    let known = Set(old)
    var list = PlacedList(old, unmoved: unmoved(in: old))
    let common = Set(ours).intersection(theirs).subtracting(known)
    list.place([leader(old).filter { known.contains($0) || common.contains($0) }], ordered: { _, _ in [] })
    list.place([ours, theirs]) { runs, isHead in ordered(runs, isHead: isHead) }
    return list.members
  }

  /// Returns the members of `old` in the order of the base; as few others as possible count as moved.
  private func unmoved(in old: [Int]) -> Set<Int> {
    let position = positions(base)
    return Set(longestRise(old.map { position[$0] ?? 0 }).map { old[$0] })
  }

  /// Returns the side whose old members are in the merged order already, otherwise the smaller one.
  private func leader(_ old: [Int]) -> [Int] {
    let fits = [ours, theirs].map { isSubsequence($0.filter(Set(old).contains), of: old) }
    if fits[0] != fits[1] { return fits[0] ? ours : theirs }
    return smallerSide
  }

  /// The side whose list of texts is smaller in byte order; the first different member decides.
  private var smallerSide: [Int] {
    let common = zip(ours, theirs).prefix { $0 == $1 }.count
    return precedes(theirs[common...].lazy.map(text), ours[common...].lazy.map(text)) ? theirs : ours
  }

  private func ordered(_ runs: [[Int]], isHead: Bool) -> [Int] {
    let candidates = runs.map { members in
      InsertedRun(
        members: members, stamp: members.lazy.compactMap(stamp).first, texts: members.map(text))
    }
    switch insertions {
    case .runs:
      let ranks = runs.map { $0.map(rank).max { abs($0) < abs($1) } ?? 0 }
      if runs.count == 2, ranks[0] != ranks[1] { return ranks[0] < ranks[1] ? runs[0] + runs[1] : runs[1] + runs[0] }
      return InsertedRun.ordered(candidates, latestFirst: isHead).flatMap(\.members)
    case .sorted:
      return runs.count < 2 ? runs.flatMap(\.self) : runs.joined().sorted { precedes(text($0), text($1)) }
    case .byTime(let latestFirst):
      return runs.count < 2 ? runs.flatMap(\.self) : interleaved(runs[0], runs[1], latestFirst: latestFirst)
    }
  }

  /// Merges two runs by time; each keeps its own order.
  private func interleaved(_ first: [Int], _ second: [Int], latestFirst: Bool) -> [Int] {
    var (left, right) = (first[...], second[...])
    var woven: [Int] = []
    while let one = left.first, let other = right.first {
      let pair = [one, other].map { InsertedRun(members: [$0], stamp: stamp($0), texts: [text($0)]) }
      let next = InsertedRun.ordered(pair, latestFirst: latestFirst)[0].members[0]
      woven.append(next)
      if next == one { left = left.dropFirst() } else { right = right.dropFirst() }
    }
    return woven + left + right
  }
}

// MARK: - Members of the base

extension SequenceMerge {
  private func mergedOldMembers() -> [Int] {
    let sides = [positions(ours), positions(theirs)]
    let reordered = sides.filter { side in !isRising(base.compactMap { side[$0] }) }
    switch reordered.count {
    case 0: return base
    case 1: return inOrder(of: reordered[0])
    default: return base.count > Self.reorderingLimit ? inOrder(of: positions(smallerSide)) : combined(sides)
    }
  }

  /// Returns the order of one side; members that it lacks stay after their predecessor in the base.
  private func inOrder(of side: [Int: Int]) -> [Int] {
    var followers: [Int: [Int]] = [:]
    var head: [Int] = []
    var present: [Int] = []
    for member in base {
      if side[member] != nil {
        present.append(member)
      } else if let last = present.last {
        followers[last, default: []].append(member)
      } else {
        head.append(member)
      }
    }
    let ordered = present.sorted { side[$0] ?? 0 < side[$1] ?? 0 }
    return head + ordered.flatMap { [$0] + (followers[$0] ?? []) }
  }

  /// Combines two reorderings: a pair is inverted if either side inverted it; every inversion puts a later member before an
  /// earlier one, so the constraints cannot be cyclic.
  private func combined(_ sides: [[Int: Int]]) -> [Int] {
    let places = sides.map { side in base.map { side[$0] ?? -1 } }
    func isInverted(_ earlier: Int, _ later: Int) -> Bool {
      places.contains { $0[later] >= 0 && $0[later] < $0[earlier] }
    }
    // The number of members that must still come before each one.
    var waiting = base.indices.map { earlier in
      ((earlier + 1)..<base.count).count { isInverted(earlier, $0) }
    }
    var isOut = Array(repeating: false, count: base.count)
    var merged: [Int] = []
    while let next = base.indices.first(where: { !isOut[$0] && waiting[$0] == 0 }) {
      isOut[next] = true
      merged.append(base[next])
      for earlier in 0..<next where isInverted(earlier, next) { waiting[earlier] -= 1 }
    }
    return merged
  }
}

private func positions(_ order: [Int]) -> [Int: Int] {
  Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
}

private func isRising(_ values: [Int]) -> Bool {
  zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
}

func isSubsequence<Member: Equatable>(_ part: some Collection<Member>, of whole: some Collection<Member>) -> Bool {
  var rest = part[...]
  for member in whole where member == rest.first { rest = rest.dropFirst() }
  return rest.isEmpty
}
