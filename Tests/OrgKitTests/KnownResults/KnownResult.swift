import OrgKit

/// The result of merging a triple with a known result.
struct KnownResult {
  enum Outcome: String { case right, spaced, needless, wrong, keptBoth }

  let outcome: Outcome
  /// The violated laws.
  private(set) var broken: [String] = []
  /// Conflicts between devices of which some had synced before.
  private(set) var repeated: [String] = []

  init(_ triple: KnownTriple) {
    let base = triple.baseText
    let versions = [0, 1, 2].map { triple.text(of: $0) }
    let (ours, theirs, third) = (versions[0], versions[1], versions[2])
    let expected = triple.expectedText
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    switch merge.status {
    case .keepBoth: outcome = .keptBoth
    case .conflict: outcome = .needless
    case .clean:
      let content = merge.content ?? []
      outcome = content == expected ? .right : words(content) == words(expected) ? .spaced : .wrong
    }
    let exchanged = OrgMerge.merge(base: base, ours: theirs, theirs: ours)
    if exchanged.content != merge.content || exchanged.status != merge.status { broken.append("symmetry") }
    guard merge.status == .clean, let content = merge.content else { return }
    check("absorption", OrgMerge.merge(base: base, ours: content, theirs: theirs), gives: content)
    check("absorption", OrgMerge.merge(base: base, ours: content, theirs: ours), gives: content)
    if outcome == .right, third != base { checkOrders(base, versions, merge, triple) }
  }

  /// Checks that three devices that sync in any order converge to the known file.
  private mutating func checkOrders(
    _ base: [UInt8], _ versions: [[UInt8]], _ merge: OrgMerge.Result, _ triple: KnownTriple
  ) {
    let expected = triple.expectedOfAll
    for last in 0..<3 {
      let first =
        last == 2
        ? merge : OrgMerge.merge(base: base, ours: versions[(last + 1) % 3], theirs: versions[(last + 2) % 3])
      guard first.status == .clean, let both = first.content else { continue }
      let all = OrgMerge.merge(base: base, ours: both, theirs: versions[last])
      if all.status == .clean, words(all.content ?? []) != words(expected) { broken.append("order \(last)") }
      if all.status != .clean { repeated.append("order \(last)") }
    }
  }

  private mutating func check(_ law: String, _ merge: OrgMerge.Result, gives content: [UInt8]) {
    if merge.status != .clean {
      repeated.append(law)
    } else if merge.content != content {
      broken.append(law)
    }
  }
}

private func words(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
  text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
}

/// The results of many triples.
struct KnownTally {
  private(set) var total = 0
  private(set) var counts: [KnownResult.Outcome: Int] = [:]
  private(set) var wrong: [String] = []
  private(set) var needless: [String] = []
  private(set) var broken: [String] = []
  private(set) var repeated: [String] = []
  /// The number of occurrences of each ordered pair of kinds of edits.
  private(set) var pairs: [KindPair: Int] = [:]

  /// The kinds of edits of the two sides.
  struct KindPair: Hashable {
    let ours: String
    let theirs: String
  }

  mutating func add(_ result: KnownResult, _ seed: UInt64, _ triple: KnownTriple) {
    total += 1
    counts[result.outcome, default: 0] += 1
    pairs[KindPair(ours: triple.labels[0][0], theirs: triple.labels[1][0]), default: 0] += 1
    let name = "seed \(seed): \(triple.labels[0]) and \(triple.labels[1])"
    switch result.outcome {
    case .wrong: wrong.append(name)
    case .needless, .keptBoth: needless.append("\(result.outcome.rawValue) \(name)")
    case .right, .spaced: break
    }
    if !result.repeated.isEmpty { repeated.append("\(result.repeated) \(name)") }
    if !result.broken.isEmpty { broken.append("\(result.broken) \(name)") }
  }

  mutating func add(_ other: KnownTally) {
    total += other.total
    counts.merge(other.counts, uniquingKeysWith: +)
    pairs.merge(other.pairs, uniquingKeysWith: +)
    wrong += other.wrong
    needless += other.needless
    broken += other.broken
    repeated += other.repeated
  }

  /// True if no merge is wrong, no law is broken, and conflicts are as rare as promised.
  var isSound: Bool {
    wrong.isEmpty && broken.isEmpty && needless.count * 1000 <= total && repeated.count * 200 <= total
  }

  /// The counts in one line.
  var summary: String {
    let outcomes = counts.map { "\($0.key.rawValue) \($0.value)" }.sorted().joined(separator: ", ")
    return "\(total) triples: \(outcomes); laws broken in \(broken.count), repeated conflicts \(repeated.count)"
  }

  /// A table of the ordered pairs and their numbers, with our actions in rows and theirs in columns.
  var pairTable: String {
    var table: [KindPair: Int] = [:]
    for (pair, count) in pairs { table[pair.actions, default: 0] += count }
    let names = Set(table.keys.map(\.ours)).union(table.keys.map(\.theirs)).sorted()
    let rows = names.map { ours in
      ours + "\t" + names.map { "\(table[KindPair(ours: ours, theirs: $0)] ?? 0)" }.joined(separator: "\t")
    }
    let all = Edit.labels.count * Edit.labels.count
    let often = pairs.values.count { $0 >= 200 }
    return
      (["\(pairs.count) of \(all) pairs, \(often) of them at least 200 times", "\t" + names.joined(separator: "\t")]
      + rows).joined(separator: "\n")
  }
}

extension KnownTally.KindPair {
  fileprivate var actions: Self {
    Self(ours: String(ours.prefix { $0 != ":" }), theirs: String(theirs.prefix { $0 != ":" }))
  }
}
