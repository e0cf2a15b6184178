package import SyncKit

/// Changes the store like a user, so that the next pass syncs the change: restoring, undoing, resolving.
package struct StoreEdit {
  package let workspace: Workspace
  package let store: any Replica

  package init(_ workspace: Workspace) async throws {
    self.workspace = workspace
    store = try await workspace.stack.openStore()
    try await store.recover()
  }

  /// Returns the present entry at `path`, with its content kept in the archive; nil if there is no file.
  package func current(_ path: SyncPath) async throws(SyncError) -> Entry? {
    switch try await store.read(file: path, into: workspace.archive.intake(keepingAtMost: .max)) {
    case .read(let entry): return entry
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Writes `content` to `path`, or removes the file if it is nil. The old version is in the history before it is replaced.
  /// Returns false if there was nothing to change.
  @discardableResult
  package func put(_ content: Content?, at path: SyncPath) async throws(SyncError) -> Bool {
    let entry = try await current(path)
    if entry == nil, content == nil { return false }
    if let entry, entry.digest == content?.digest { return false }
    var replaced: Content?
    if let digest = entry?.digest {
      try await workspace.archive.keep([Version(remote: "store", path: path, digest: digest, side: .local)])
      replaced = try await workspace.archive.content(digest)
    }
    try await workspace.archive.flush()
    let change = Change(
      path: path, content: content, condition: entry.map { .unchanged($0.revision) } ?? .absent, replaced: replaced)
    try check(try await store.commit(change: change), path)
    return true
  }

  private func check(_ result: WriteResult, _ path: SyncPath) throws(SyncError) {
    switch result {
    case .done, .accepted: return
    case .cannot(let reason), .postponed(let reason):
      throw SyncError(.pathFailed, "\(path) is unchanged: \(reason)")
    case .refused:
      throw SyncError(.changedMeanwhile, "another program has just changed \(path); it is unchanged. Try again")
    case .unknown(let error), .failed(let error): throw error
    }
  }
}
