import OrgKit

/// A merge of two devices that should have changed nothing and did.
struct DeviceMerge {
  private let base: [UInt8]
  private let edits: [[UInt8]]
  private let expected: [UInt8]
  private let result: [UInt8]

  /// Nil if the merge gives the expected file. `edits` are the versions that were merged before.
  init?(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], expected: [UInt8], edits: [[UInt8]]) {
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    if merge.content == expected, merge.status == .clean { return nil }
    (self.base, self.edits, self.expected, result) = (base, edits, expected, merge.content ?? [])
  }

  /// True if only entries differ whose text two devices changed concurrently: if one removed lines exactly where the other
  /// added some, or there are duplicate lines, the texts can be aligned in two ways.
  var isExcused: Bool {
    let differing = Self.differing(expected, result)
    let changes = edits.map { Self.differing(base, $0) }
    return !differing.isEmpty && differing.allSatisfy { id in changes.count { $0.contains(id) } >= 2 }
  }

  /// The IDs of the entries that differ between two versions.
  private static func differing(_ one: [UInt8], _ other: [UInt8]) -> Set<String> {
    let (left, right) = (texts(one), texts(other))
    return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
  }

  private static func texts(_ file: [UInt8]) -> [String: [UInt8]] {
    OrgDocument(file).entries.reduce(into: [:]) { texts, entry in
      texts[entry.id ?? "", default: []] += entry.bytes.drop { $0 == UInt8(ascii: "*") }
    }
  }
}
