/// Finds the open conflicts that the user has resolved.
struct OpenConflicts {
  let parts: PassParts
  let scan: Scan

  /// Returns the resolved conflicts: the copy beside the file is gone, or the marks in the file are.
  func resolved(_ conflicts: [OpenConflict]) async throws(SyncError) -> [OpenConflict] {
    var resolved: [OpenConflict] = []
    for conflict in conflicts where try await isResolved(conflict) { resolved.append(conflict) }
    return resolved
  }

  private func isResolved(_ conflict: OpenConflict) async throws(SyncError) -> Bool {
    if let copy = conflict.copy { return !scan.local.isUnknown(copy) && scan.local[copy] == nil }
    guard scan.local[conflict.path] != nil else { return !scan.local.isUnknown(conflict.path) }
    guard let digest = currentDigest(of: conflict.path), digest != conflict.marked else { return false }
    guard let content = try await parts.archive.content(digest) else { return false }
    return await parts.merger.isMarked(try await content.bytes(), at: conflict.path) == false
  }

  private func currentDigest(of path: SyncPath) -> Digest? {
    scan.local[path]?.digest ?? scan.base[path]?.digest
  }
}
