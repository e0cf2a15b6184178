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
  /// Some of the versions that it replaced, by falling depth, to find the common ancestors with another version.
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
    /// All versions of the path that it replaced, directly or through others.
    package var past: CausalContext
    package var depth: UInt64
    package var digest: Digest

    package init(dot: Dot, past: CausalContext, depth: UInt64, digest: Digest) {
      self.dot = dot
      self.past = past
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
  /// The length up to which a lineage also has older versions than the latest of each writer.
  package static let lineageLength = 8

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

  /// Returns the replaced versions and the latest of each other writer; if these are few, the last ones before them, too.
  private static func lineage(of former: [MeshVersion]) -> [Ancestor] {
    let parents = former.map { Ancestor(dot: $0.dot, past: $0.past, depth: $0.depth, digest: $0.digest) }
    let older = Set(former.flatMap(\.lineage)).subtracting(parents).sorted(by: Ancestor.comesFirst)
    var writers: Set<Writer> = Set(parents.map(\.dot.writer))
    let latest = older.filter { writers.insert($0.dot.writer).inserted }
    let kept = (parents + latest).sorted(by: Ancestor.comesFirst).prefix(lineageLimit)
    let others = older.filter { !kept.contains($0) }.prefix(max(0, lineageLength - kept.count))
    return (kept + others).sorted(by: Ancestor.comesFirst)
  }
}

extension [MeshVersion] {
  /// The versions that any of these replaced.
  var past: CausalContext { reduce(into: CausalContext()) { $0.formUnion($1.past) } }
}
