/// Merges runs of lines: prose down to single words, code only by whole lines.
enum TextMerge {
  /// Returns the merged lines of prose, or nil for a conflict.
  static func prose(_ lines: Three<[Bytes]>, byWords: Bool = true) -> [Bytes]? {
    var merged: [Bytes] = []
    for region in regions(lines, key: \.collapsed) {
      guard let part = proseRegion(region.lines, isStable: region.isStable, isHead: region.isHead, byWords) else {
        return nil
      }
      merged += part
    }
    return merged
  }

  /// Returns the merged lines of code, or nil for a conflict.
  static func code(_ lines: Three<[Bytes]>) -> [Bytes]? {
    var merged: [Bytes] = []
    let key = { (line: Bytes) in Array(line.trimmedRight) }
    for region in regions(lines, key: key) {
      let further = region.lines.map { $0.map(key) }.furtherSide.map { region.lines[$0] }
      guard let part = settled(region.lines, key: key) ?? further else { return nil }
      merged += part
    }
    return merged
  }

  private static func proseRegion(_ lines: Three<[Bytes]>, isStable: Bool, isHead: Bool, _ byWords: Bool) -> [Bytes]? {
    if let part = lines.settled ?? settled(lines, key: \.collapsed) { return part }
    if lines.base.isEmpty { return bothInsertions(lines.ours, lines.theirs, isHead: isHead) }
    guard byWords else { return nil }
    return WordMerge.merge(lines.map { Array($0.joined(separator: [.newline]))[...] }).map { Array($0[...].lines) }
  }

  /// Returns the lines if at most one side changed them, or both in the same way; `key` returns the meaning of a line.
  static func settled(_ lines: Three<[Bytes]>, key: (Bytes) -> [UInt8]) -> [Bytes]? {
    let keys = lines.map { $0.map(key) }
    guard let settled = keys.settled else { return nil }
    let alike = lines.zip(keys).map { $1 == settled ? $0 : nil }
    guard let ours = alike.ours ?? alike.theirs, let theirs = alike.theirs ?? alike.ours else { return nil }
    return laidOut(Three(base: alike.base, ours: ours, theirs: theirs))
  }

  /// Returns versions with the same meaning, line by line in the winning layout.
  static func laidOut(_ lines: Three<[Bytes]?>) -> [Bytes] {
    (lines.ours ?? []).indices.map { index in lines.map { $0?[index] }.layout }
  }

  /// Merges insertions of both sides at one position: the common lines once, and the others of both.
  private static func bothInsertions(_ one: [Bytes], _ other: [Bytes], isHead: Bool) -> [Bytes] {
    // An alignment may pair repeated lines differently in the other direction.
    let isSwapped = precedes(other.joined(separator: [.newline]), one.joined(separator: [.newline]))
    let (ours, theirs) = isSwapped ? (other, one) : (one, other)
    let alignment = Alignment(ours.map(\.collapsed), theirs.map(\.collapsed))
    var merged: [Bytes] = []
    var (left, right) = (0, 0)
    for (index, partner) in alignment.partners.enumerated() {
      guard let partner else { continue }
      merged += ordered(ours[left..<index], theirs[right..<partner], isHead: isHead)
      merged.append(longer(ours[index], theirs[partner]))
      (left, right) = (index + 1, partner + 1)
    }
    return merged + ordered(ours[left...], theirs[right...], isHead: isHead)
  }

  private static func ordered(_ ours: ArraySlice<Bytes>, _ theirs: ArraySlice<Bytes>, isHead: Bool) -> [Bytes] {
    let runs = [ours, theirs].filter { !$0.isEmpty }.map { lines in
      InsertedRun(
        members: Array(lines), stamp: lines.first?.firstTimestamp(isActive: false).flatMap { OrgTimestamp($0) },
        texts: lines.map { Array($0) })
    }
    return InsertedRun.ordered(runs, latestFirst: isHead).flatMap(\.members)
  }

  private struct Region {
    var lines: Three<[Bytes]>
    var isStable: Bool
    /// True if the region is at the head of a base that is not empty.
    var isHead: Bool
  }

  private static func regions(_ lines: Three<[Bytes]>, key: (Bytes) -> [UInt8]) -> [Region] {
    let keys = lines.map { $0.map(key) }
    return ThreeWay(
      ours: Alignment(keys.base, keys.ours).raised(keys.base, keys.ours), count: lines.ours.count,
      theirs: Alignment(keys.base, keys.theirs).raised(keys.base, keys.theirs), count: lines.theirs.count
    ).regions.map { region in
      Region(
        lines: Three(
          base: Array(lines.base[region.base]), ours: Array(lines.ours[region.ours]),
          theirs: Array(lines.theirs[region.theirs])),
        isStable: region.isStable, isHead: region.base.lowerBound == 0 && !lines.base.isEmpty)
    }
  }
}

/// Members that one side inserted at one position; they stay together.
struct InsertedRun<Member> {
  var members: [Member]
  var stamp: OrgTimestamp?
  /// The text of each member, with which runs are compared after joining.
  var texts: [[UInt8]]

  /// Orders two runs at the same position: by time if both have one, the latest first where users prepend, otherwise in byte
  /// order.
  static func ordered(_ runs: [InsertedRun], latestFirst: Bool) -> [InsertedRun] {
    guard runs.count == 2 else { return runs }
    if let first = runs[0].stamp?.moment, let second = runs[1].stamp?.moment, first != second {
      let isRising = first.lexicographicallyPrecedes(second)
      return isRising != latestFirst ? runs : [runs[1], runs[0]]
    }
    return precedes(runs[1].texts, runs[0].texts) ? [runs[1], runs[0]] : runs
  }
}
