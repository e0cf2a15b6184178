package import SyncKit

/// Changes the store like a user, so that the next pass syncs the change: restoring, undoing, resolving.
package struct StoreEdit {
  package let workspace: Workspace
  package let store: any Replica
  /// What the history says of each change, such as "restored with `syncd restore`".
  private let reason: String

  package init(_ workspace: Workspace, as reason: String) async throws {
    self.workspace = workspace
    self.reason = reason
    store = try await workspace.stack.openStore()
    try await store.recover()
  }

  /// Returns the present entry at `path`, with its content kept in the archive; nil if the file does not exist.
  package func current(_ path: SyncPath) async throws(SyncError) -> Entry? {
    switch try await store.read(file: path, into: workspace.archive.intake(keepingAtMost: .max)) {
    case .read(let entry): return entry
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Puts `content` at `path`, or nothing if it is nil. What was there is in history before it is replaced, and the history
  /// records the change, so that `syncd undo` can undo it. Returns false if it was so already.
  @discardableResult
  package func put(_ content: Content?, at path: SyncPath) async throws(SyncError) -> Bool {
    let entry = try await current(path)
    if entry == nil, content == nil { return false }
    if let entry, entry.digest == content?.digest { return false }
    var replaced: Content?
    if let digest = entry?.digest {
      try await workspace.archive.keep([Version(remote: Self.name, path: path, digest: digest, side: .local)])
      replaced = try await workspace.archive.content(digest)
    }
    try await workspace.archive.flush()
    let change = Change(
      path: path, content: content, condition: entry.map { .unchanged($0.revision) } ?? .absent, replaced: replaced)
    try check(try await store.commit(change: change), path)
    var record = Record(remote: Self.name)
    record.actions = [
      Action(
        path: path, kind: content == nil ? .remove : .copy, to: .local, result: .done, detail: reason,
        before: entry?.digest, after: content?.digest)
    ]
    try await workspace.archive.record(record)
    return true
  }

  /// Stands in the history where the name of a remote stands otherwise.
  private static let name = "store"

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
