/// Uses the agreements with other remotes where those with this one say too little.
///
/// A remote may lag behind another: it still has a renamed file in its former version, while the store has edited it. Without a
/// base, the two look like two new files. And a version of the store may come back through another remote: it looks like an edit
/// by another user, although the store has had it and gone on.
///
/// Passes over other remotes may run at the same time, write to the store after this pass has listed it, and record that. What they
/// record is therefore used only where the store still has what was listed.
struct OtherRemotes {
  let parts: PassParts

  /// The number of files that are read at a time, and the maximum size of a content that is kept.
  private static let window = 1_024
  private static let keptSize = 8 << 20

  /// Returns the versions of the remote that are known to be older than the store's, by path.
  func ancestors(in scan: Scan, _ differences: [Difference]) async throws(SyncError) -> [SyncPath: Digest] {
    let candidates = candidates(in: scan, differences)
    guard !candidates.isEmpty else { return [:] }
    let contents = candidates.mapValues(\.remote)
    let agreed = try await parts.archive.agreedElsewhere(contents, than: parts.name)
    // A version is in the history before it is replaced, and may not have been replaced.
    let unfinished = try await parts.archive.intendedPaths()
    var ancestors = contents.filter { agreed.contains($0.key) }
    for (path, versions) in candidates where ancestors[path] == nil && !unfinished.contains(path) {
      guard try await parts.archive.wasDisplaced(versions.remote, at: path),
        try await !parts.archive.wasDisplaced(versions.local, at: path)
      else { continue }
      ancestors[path] = versions.remote
    }
    let changed = try await changed(candidates.mapValues(\.local).filter { ancestors[$0.key] != nil })
    return ancestors.filter { !changed.contains($0.key) }
  }

  /// Returns the versions of the remote that the store shared with another one since the last agreement, and has replaced or
  /// removed since.
  func returned(in scan: Scan, _ differences: [Difference]) async throws(SyncError) -> [SyncPath: Digest] {
    var (versions, listed): ([SyncPath: Digest], [SyncPath: Digest]) = ([:], [:])
    for difference in differences where difference.base >= 0 && scan.intendedChange(of: difference) == nil {
      guard case .present(let remote) = scan.state(of: difference, on: .remote),
        remote != scan.agreedDigest(of: difference)
      else { continue }
      let local = scan.state(of: difference, on: .local)
      guard local != .unknown, local != .present(remote) else { continue }
      let path = scan.path(of: difference)
      versions[path] = remote
      if case .present(let digest) = local { listed[path] = digest }
    }
    guard !versions.isEmpty else { return [:] }
    let returned = try await parts.archive.agreedLater(versions, than: parts.name)
    let changed = try await changed(listed.filter { returned.contains($0.key) })
    return versions.filter { returned.contains($0.key) && !changed.contains($0.key) }
  }

  /// Returns the files of the store, of those that were listed with these contents, that have others by now. That a file is still
  /// missing is confirmed later, as for every deletion.
  private func changed(_ listed: [SyncPath: Digest]) async throws(SyncError) -> Set<SyncPath> {
    let sink = parts.archive.intake(keepingAtMost: Self.keptSize)
    let all = listed.keys.sorted()
    var changed: Set<SyncPath> = []
    for start in stride(from: 0, to: all.count, by: Self.window) {
      try Task.checkPassGoesOn()
      let paths = Array(all[start..<min(start + Self.window, all.count)])
      let results = try await parts.local.read(paths, into: sink).inOrder(of: paths, from: Side.local.source)
      for (path, result) in try paths.paired(with: results, from: Side.local.source) {
        if case .read(let entry) = result, entry.digest == listed[path] { continue }
        changed.insert(path)
      }
    }
    return changed
  }

  /// Returns the paths without a base at which both sides have a version, and the remote's is the one that was agreed on under
  /// a name that both sides have given up. With less evidence, it may be a version that a user put there.
  private func candidates(
    in scan: Scan, _ differences: [Difference]
  ) -> [SyncPath: (local: Digest, remote: Digest)] {
    let renamed = Set(
      differences.filter { $0.local == .absent && $0.remote == .absent }.compactMap { scan.agreedDigest(of: $0) })
    guard !renamed.isEmpty else { return [:] }
    var candidates: [SyncPath: (local: Digest, remote: Digest)] = [:]
    for difference in differences where difference.base < 0 {
      guard case .present(let remote) = scan.state(of: difference, on: .remote), renamed.contains(remote),
        case .present(let local) = scan.state(of: difference, on: .local), local != remote,
        scan.intendedChange(of: difference) == nil
      else { continue }
      candidates[scan.path(of: difference)] = (local, remote)
    }
    return candidates
  }
}
