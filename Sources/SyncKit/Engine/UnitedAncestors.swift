/// Unites the ancestors of concurrent versions that have several.
///
/// Two devices merged the same two versions, and one of them was edited since. From either version alone, what the other one had
/// brought would look like an edit of both devices. From both united, only the later edit is one.
struct UnitedAncestors {
  let parts: PassParts

  /// Returns the united contents by path, which the archive then holds. A path whose ancestors are not all in the archive, or cannot
  /// be united without a conflict, has none.
  func digests(in scan: Scan, _ differences: [Difference]) async throws(SyncError) -> [SyncPath: Digest] {
    var united: [SyncPath: Digest] = [:]
    for difference in differences {
      guard let concurrency = scan.concurrency(of: difference), concurrency.ancestors.count > 1,
        let entry = scan.entry(of: difference, on: .remote), parts.merger.merges(entry.path, size: entry.size)
      else { continue }
      united[entry.path] = try await digest(of: concurrency, at: entry.path)
    }
    return united
  }

  private func digest(of concurrency: Concurrency, at path: SyncPath) async throws(SyncError) -> Digest? {
    let origin = try await bytes(concurrency.origin)
    guard var united = try await bytes(concurrency.ancestors.first) else { return nil }
    for ancestor in concurrency.ancestors.dropFirst() {
      guard let other = try await bytes(ancestor) else { return nil }
      let input = MergeInput(path: path, base: origin, local: united, remote: other)
      guard case .clean(let merged)? = await parts.merger.merge([input], preferring: nil)[path] else { return nil }
      united = merged
    }
    return try await parts.archive.intake(keepingAtMost: .max).receive(united)
  }

  private func bytes(_ digest: Digest?) async throws(SyncError) -> [UInt8]? {
    guard let digest, let content = try await parts.archive.content(digest) else { return nil }
    return try await content.bytes()
  }
}
