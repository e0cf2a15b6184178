/// What agreements with other remotes tell of paths that were never agreed on with this one.
///
/// A remote may lag behind another: it shows a version that the store had, and has changed, renamed or deleted since. By
/// itself such a version looks like a new file.
struct OtherRemotes {
  let parts: PassParts

  /// The versions of the remote that are known to be older than what the store has, by path.
  func ancestors(in scan: Scan, _ differences: [Difference]) async throws(SyncError) -> [SyncPath: Digest] {
    let candidates = candidates(in: scan, differences)
    guard !candidates.isEmpty else { return [:] }
    let contents = candidates.mapValues(\.remote)
    let agreed = try await parts.archive.agreedElsewhere(contents, than: parts.name)
    var ancestors = contents.filter { agreed.contains($0.key) }
    for (path, versions) in candidates where ancestors[path] == nil {
      guard let local = versions.local, try await parts.archive.wasDisplaced(versions.remote, at: path),
        try await !parts.archive.wasDisplaced(local, at: path)
      else { continue }
      ancestors[path] = versions.remote
    }
    return ancestors
  }

  /// The paths without a base at which the remote has a version that the store has not.
  private func candidates(
    in scan: Scan, _ differences: [Difference]
  ) -> [SyncPath: (local: Digest?, remote: Digest)] {
    var candidates: [SyncPath: (local: Digest?, remote: Digest)] = [:]
    for difference in differences where difference.base < 0 {
      guard case .present(let remote) = scan.state(of: difference, on: .remote),
        scan.intendedChange(of: difference) == nil
      else { continue }
      switch scan.state(of: difference, on: .local) {
      case .present(remote), .unknown: continue
      case .present(let local): candidates[scan.path(of: difference)] = (local, remote)
      case .absent: candidates[scan.path(of: difference)] = (nil, remote)
      }
    }
    return candidates
  }
}
