package import SyncKit

/// One version of a file, with what its writer knew.
package struct MeshVersion: Hashable, Sendable {
  /// The version's name.
  package var dot: Dot
  /// All versions of the path that it replaced, directly or through others.
  package var past: CausalContext
  /// The length of the longest chain of versions that ends with this one.
  package var depth: UInt64
  /// The digest of the content.
  package var digest: Digest
  /// The size of the content in bytes.
  package var size: Int
  /// Some of the versions that it replaced, by falling depth, to find a common ancestor with another version.
  package var lineage: [Ancestor]

  package init(dot: Dot, past: CausalContext, depth: UInt64, digest: Digest, size: Int, lineage: [Ancestor]) {
    self.dot = dot
    self.past = past
    self.depth = depth
    self.digest = digest
    self.size = size
    self.lineage = lineage
  }

  /// A version that another one replaced.
  package struct Ancestor: Hashable, Sendable {
    package var dot: Dot
    package var depth: UInt64
    package var digest: Digest

    package init(dot: Dot, depth: UInt64, digest: Digest) {
      self.dot = dot
      self.depth = depth
      self.digest = digest
    }

    /// The order in a lineage. The digest decides between equal depths, so that every device has the same order.
    static func comesFirst(_ a: Ancestor, _ b: Ancestor) -> Bool {
      if a.depth != b.depth { return a.depth > b.depth }
      return a.digest == b.digest ? a.dot < b.dot : a.digest < b.digest
    }
  }

  /// The maximum length of a lineage.
  package static let lineageLimit = 16

  /// Creates the version that replaces `former`.
  init(_ digest: Digest, size: Int, dot: Dot, replacing former: [MeshVersion]) {
    var past = CausalContext()
    for version in former {
      past.formUnion(version.past)
      past.insert(version.dot)
    }
    self.init(
      dot: dot, past: past, depth: 1 + (former.map(\.depth).max() ?? 0), digest: digest, size: size,
      lineage: Self.lineage(of: former))
  }

  /// Returns the replaced versions, and of older ones the latest of each writer.
  private static func lineage(of former: [MeshVersion]) -> [Ancestor] {
    let parents = former.map { Ancestor(dot: $0.dot, depth: $0.depth, digest: $0.digest) }
    let older = Set(former.flatMap(\.lineage)).subtracting(parents)
    var writers: Set<Writer> = Set(parents.map(\.dot.writer))
    let latest = older.sorted(by: Ancestor.comesFirst).filter { writers.insert($0.dot.writer).inserted }
    return Array((parents + latest).sorted(by: Ancestor.comesFirst).prefix(lineageLimit))
  }
}

extension [MeshVersion] {
  /// The versions that any of these replaced.
  var past: CausalContext { reduce(into: CausalContext()) { $0.formUnion($1.past) } }
}
