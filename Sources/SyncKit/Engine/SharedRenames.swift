/// Finds the common ancestor of files that both sides have edited under a new name.
///
/// Another device renamed and edited a file on two remotes, and this one edited it under its old name. The pass over the first
/// remote has merged both (`EditedRenames`); in the pass over the second one, the merged file and the remote's look like two
/// new files.
struct SharedRenames {
  let parts: PassParts

  /// The maximum number of pairs that are compared.
  private static let pairLimit = 4_096

  /// Returns the versions that were agreed on under names that both sides have given up, by the new path. At least 60 % of both
  /// new versions are lines of it, and no other file is as similar.
  func ancestors(in scan: Scan, _ differences: [Difference]) async throws(SyncError) -> [SyncPath: Digest] {
    let targets = targets(in: scan, differences)
    let sources = Set(
      differences.filter { $0.local == .absent && $0.remote == .absent }.compactMap { scan.agreedDigest(of: $0) })
    guard !targets.isEmpty, !sources.isEmpty, sources.count * targets.count <= Self.pairLimit else { return [:] }
    var bases: [(digest: Digest, lines: LineBag)] = []
    for digest in sources where digest != .empty {
      if let lines = try await lines(digest) { bases.append((digest, lines)) }
    }
    var found: [SyncPath: Digest] = [:]
    for (path, versions) in targets {
      guard let local = try await lines(versions.local), let remote = try await lines(versions.remote) else { continue }
      let likeness = bases.map {
        (digest: $0.digest, value: min($0.lines.likeness(to: local), $0.lines.likeness(to: remote)))
      }
      let best = likeness.map(\.value).max() ?? 0
      let like = likeness.filter { $0.value == best }
      if best >= LineBag.sameFile, like.count == 1 { found[path] = like[0].digest }
    }
    let claims = Dictionary(grouping: found.values) { $0 }
    return found.filter { claims[$0.value]?.count == 1 }
  }

  /// Returns the texts without a base that both sides have, by path.
  private func targets(
    in scan: Scan, _ differences: [Difference]
  ) -> [SyncPath: (local: Digest, remote: Digest)] {
    var targets: [SyncPath: (local: Digest, remote: Digest)] = [:]
    for difference in differences where difference.base < 0 && scan.intendedChange(of: difference) == nil {
      guard case .present(let local) = scan.state(of: difference, on: .local),
        case .present(let remote) = scan.state(of: difference, on: .remote), local != remote,
        let entry = scan.entry(of: difference, on: .local), parts.merger.merges(entry.path, size: entry.size)
      else { continue }
      targets[entry.path] = (local, remote)
    }
    return targets
  }

  private func lines(_ digest: Digest) async throws(SyncError) -> LineBag? {
    guard let content = try await parts.archive.content(digest) else { return nil }
    return LineBag(try await content.bytes())
  }
}
