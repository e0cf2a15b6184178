/// A set of deletions that need a user's approval.
public struct Hold: Hashable, Sendable {
  /// The reason for holding them, as a sentence.
  public let reason: String
  /// The deletions.
  public var items: Set<HeldItem>

  public init(reason: String, items: Set<HeldItem>) {
    self.reason = reason.printableLine
    self.items = items
  }

  /// Returns the hold of some of these deletions, because the others were approved, denied or are no longer due. Its reason says how
  /// many are left of those it counts.
  package func of(_ part: Set<HeldItem>) -> Hold {
    let left = items.intersection(part)
    guard left.count < items.count else { return self }
    let cause = reason.firstMatch(of: Self.remainder).map { reason[..<$0.range.lowerBound] } ?? reason[...]
    return Hold(reason: "\(cause); \(left.count) of them \(left.count == 1 ? "is" : "are") still held", items: left)
  }

  private static var remainder: Regex<(Substring)> { /; [0-9]+ of them (?:is|are) still held$/ }

  /// The ID of exactly this set; another set has another ID.
  public var id: String {
    var hasher = DigestHasher()
    for item in items.sorted() {
      hasher.update(item.path.bytes + [0] + item.digest.bytes + Array(item.side.rawValue.utf8))
    }
    return String(hasher.finish().description.prefix(10))
  }
}

/// One deletion that is held or approved.
public struct HeldItem: Hashable, Comparable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The version that would be deleted.
  public var digest: Digest
  /// The side from which it would be deleted.
  public var side: Side

  public init(path: SyncPath, digest: Digest, side: Side) {
    self.path = path
    self.digest = digest
    self.side = side
  }

  public static func < (a: HeldItem, b: HeldItem) -> Bool {
    a.path == b.path ? a.side.rawValue < b.side.rawValue : a.path < b.path
  }
}
