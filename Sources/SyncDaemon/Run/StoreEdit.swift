package import SyncKit

/// Changes the store as a person would, so that the next pass carries the change on: restoring, undoing, resolving.
package struct StoreEdit {
  package let workspace: Workspace
  package let store: any Replica

  package init(_ workspace: Workspace) async throws {
    self.workspace = workspace
    store = try await workspace.stack.openStore()
    try await store.recover()
  }

  /// What is in the store at `path` now, with its content kept in the archive; nil if nothing is.
  package func current(_ path: SyncPath) async throws(SyncError) -> Entry? {
    switch try await store.read(file: path, into: workspace.archive.intake(keepingAtMost: .max)) {
    case .read(let entry): return entry
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Puts `content` at `path`, or nothing if it is nil. What was there is in history before it is replaced. Returns false if
  /// it was so already.
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
