import OrgKit

/// Three versions of a file, and the laws of merging them.
struct Versions {
  var base: [UInt8]
  var ours: [UInt8]
  var theirs: [UInt8]

  var exchanged: Versions { Versions(base: base, ours: theirs, theirs: ours) }

  func merged(_ options: OrgMerge.Options = .init()) -> OrgMerge.Result {
    OrgMerge.merge(base: base, ours: ours, theirs: theirs, options: options)
  }

  /// The names of the violated laws; words for which `mayBeLost` returns true may be missing from the result.
  func brokenLaws(of merge: OrgMerge.Result, mayBeLost: (String) -> Bool) -> [String] {
    var broken: [String] = []
    guard let content = merge.content else { return ["no content"] }
    func check(_ law: String, _ holds: Bool) {
      if !holds { broken.append(law) }
    }
    check("identity", OrgMerge.merge(base: base, ours: ours, theirs: base).content == ours)
    check("identity", OrgMerge.merge(base: base, ours: base, theirs: theirs).content == theirs)
    check("agreement", OrgMerge.merge(base: base, ours: ours, theirs: ours).content == ours)
    let exchanged = exchanged.merged()
    check("symmetry", exchanged.content == content && exchanged.status == merge.status)
    check("absorption", absorptionFailures(of: merge).isEmpty)
    let lost = lostWords(in: content).filter { !mayBeLost($0) }
    check("conservation (\(lost.joined(separator: " ")))", lost.isEmpty)
    return broken
  }

  /// Merges of a clean result with one of its sides that change the result.
  func absorptionFailures(of merge: OrgMerge.Result) -> [DeviceMerge] {
    guard merge.status == .clean, let content = merge.content else { return [] }
    return [(content, theirs), (ours, content)].compactMap {
      DeviceMerge(base, $0.0, $0.1, expected: content, edits: [ours, theirs])
    }
  }

  /// Merges that change the file again when three devices sync in a ring, each pair with its last common version.
  func convergenceFailures(of merge: OrgMerge.Result, with third: [UInt8]) -> [DeviceMerge] {
    guard let first = merge.content else { return [] }
    let second = OrgMerge.merge(base: base, ours: first, theirs: third)
    guard let all = second.content, merge.status == .clean, second.status == .clean else { return [] }
    return [first, third].compactMap { DeviceMerge(base, $0, all, expected: all, edits: [ours, theirs, third]) }
  }

  /// Words that occur too rarely in the result: less than both sides together, minus the base.
  private func lostWords(in content: [UInt8]) -> [String] {
    let (before, left, right, after) = (wordCounts(base), wordCounts(ours), wordCounts(theirs), wordCounts(content))
    return Set(left.keys).union(right.keys).filter { word in
      let (x, y) = (left[word] ?? 0, right[word] ?? 0)
      let least = min(x + y - (before[word] ?? 0), max(x, y))
      return (after[word] ?? 0) < least
    }.sorted()
  }
}

/// The number of occurrences of each word in a text; tags and property keys count separately.
private func wordCounts(_ text: [UInt8]) -> [String: Int] {
  func isWord(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return byte > 127 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
  let inner = Set("._:/@#%-".utf8)
  var counts: [String: Int] = [:]
  for run in text.split(whereSeparator: { !isWord($0) && !inner.contains($0) }) {
    for part in run.split(separator: UInt8(ascii: ":")) {
      let word = part.drop { !isWord($0) }
      if !word.isEmpty { counts[String(decoding: word, as: UTF8.self), default: 0] += 1 }
    }
  }
  return counts
}
