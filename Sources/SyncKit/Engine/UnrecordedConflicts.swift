/// Finds the conflicts that a pass left on both sides and could not record any more, because it was interrupted. Both
/// sides hold the same then, and nobody would ever hear of the conflict.
struct UnrecordedConflicts {
  let parts: PassParts
  let plan: Plan

  /// The conflicts by difference.
  func find() async throws(SyncError) -> [Int: OpenConflict] {
    let candidates = plan.indices.filter(isNews)
    // More than an interrupted pass can leave, which is the batch that is applied and the one before, are equal files that
    // meet.
    guard !candidates.isEmpty, candidates.count <= 2 * parts.remote.commitLimit.count else { return [:] }
    let copies = copies()
    var conflicts: [Int: OpenConflict] = [:]
    for index in candidates {
      guard let entry = plan.scan.entry(of: plan.differences[index], on: .local), let digest = entry.digest else {
        continue
      }
      var conflict = OpenConflict(
        path: entry.path, base: plan.scan.baseDigest(of: plan.differences[index]), local: digest, remote: digest)
      if let copy = copies[entry.path] {
        (conflict.copy, conflict.remote) = (copy.path, copy.digest)
      } else if try await isMarked(entry, digest) {
        conflict.marked = digest
      } else {
        continue
      }
      conflicts[index] = conflict
    }
    return conflicts
  }

  private func isNews(_ index: Int) -> Bool {
    plan.decisions[index] == .agree
      && plan.scan.state(of: plan.differences[index], on: .local)
        != plan.scan.baseDigest(of: plan.differences[index]).map(FileState.present)
  }

  /// The versions that stand beside files under names for conflicts, and are not recorded either.
  private func copies() -> [SyncPath: Entry] {
    var copies: [SyncPath: Entry] = [:]
    for index in plan.indices where plan.differences[index].base < 0 && plan.decisions[index] == .agree {
      guard let entry = plan.scan.entry(of: plan.differences[index], on: .local),
        let original = ConflictName.original(of: entry.path)
      else { continue }
      copies[original] = entry
    }
    return copies
  }

  private func isMarked(_ entry: Entry, _ digest: Digest) async throws(SyncError) -> Bool {
    guard parts.merger.merges(entry.path, size: entry.size),
      let content = try await parts.archive.content(digest)
    else { return false }
    return await parts.merger.isMarked(try await content.bytes(), at: entry.path) == true
  }
}
