package import SyncKit

/// What a path has, as the engine sees it.
package struct Presentation: Hashable, Sendable {
  /// The digest of the content.
  package var digest: Digest
  /// The size of the content in bytes.
  package var size: Int
  /// The versions that a change of the path replaces.
  package var dots: Set<Dot>
  /// Set if this version was made without knowledge of the agreed one.
  package var concurrent: Concurrency?

  package init(digest: Digest, size: Int, dots: Set<Dot>, concurrent: Concurrency?) {
    self.digest = digest
    self.size = size
    self.dots = dots
    self.concurrent = concurrent
  }
}

extension MeshState {
  /// Returns what a path has; nil if it has no version.
  ///
  /// Versions with equal contents are one. Of several contents, all but the one that is agreed on are presented one after the
  /// other, each as concurrent. The device's own version comes first, so that a pass that was killed after writing it finds it again,
  /// and so that a path never has two versions of one writer.
  ///
  /// - Parameters:
  ///   - agreed: The digest and versions at the last agreement between store and mesh; nil before the first.
  package func presentation(
    of path: SyncPath, agreed: (digest: Digest, dots: Set<Dot>)?
  ) -> Presentation? {
    guard let versions = files[path] else { return nil }
    let groups = Dictionary(grouping: versions, by: \.digest)
    let digests = groups.keys.sorted()
    let own = digests.first { groups[$0]?.contains { $0.dot.writer == writer } ?? false }
    if let agreed, let known = groups[agreed.digest],
      let digest = ([own].compactMap(\.self) + digests).first(where: { $0 != agreed.digest }),
      let other = groups[digest]
    {
      return Presentation(other + known, digest, Self.concurrency(of: known, and: other))
    }
    let newer = digests.first { digest in agreed.map { descends(groups[digest] ?? [], from: $0.dots) } ?? false }
    guard let digest = own ?? newer ?? digests.first, let group = groups[digest] else { return nil }
    return Presentation(group, digest, nil)
  }

  private func descends(_ group: [MeshVersion], from dots: Set<Dot>) -> Bool {
    !dots.isEmpty && group.contains { version in dots.allSatisfy(version.past.covers) }
  }

  /// Returns the contents of the last versions that both groups replaced, as far as their lineages show: by falling depth, then by
  /// digest, so that every device has the same order.
  package static func concurrency(of a: [MeshVersion], and b: [MeshVersion]) -> Concurrency {
    let (pastA, pastB) = (a.past, b.past)
    let common = Set((a + b).flatMap(\.lineage)).filter { pastA.covers($0.dot) && pastB.covers($0.dot) }
    let last = last(of: common)
    let older = common.filter { version in last.allSatisfy { $0.past.covers(version.dot) } }
    var ancestors: [Digest] = []
    for version in last where !ancestors.contains(version.digest) { ancestors.append(version.digest) }
    // Both united these two contents, and not in the same way, because they knew different ones of before. What a device knows must not
    // decide again, or they would exchange their results without end.
    if Set((a + b).map(\.digest)).isSubset(of: ancestors) { return Concurrency(ancestor: nil) }
    return Concurrency(
      ancestors: ancestors, origin: ancestors.count > 1 ? Self.last(of: older).first?.digest : nil)
  }

  /// Returns those that none of the others replaced.
  private static func last(of versions: Set<MeshVersion.Ancestor>) -> [MeshVersion.Ancestor] {
    versions.filter { version in !versions.contains { $0.past.covers(version.dot) } }
      .sorted(by: MeshVersion.Ancestor.comesFirst)
  }
}

extension Presentation {
  fileprivate init(_ versions: [MeshVersion], _ digest: Digest, _ concurrent: Concurrency?) {
    let size = versions.first { $0.digest == digest }?.size ?? 0
    self.init(digest: digest, size: size, dots: Set(versions.map(\.dot)), concurrent: concurrent)
  }
}
