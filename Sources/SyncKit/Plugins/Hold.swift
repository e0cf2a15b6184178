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
