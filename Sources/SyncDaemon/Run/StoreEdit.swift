package import SyncKit
import Synchronization

/// Changes the store like a user, so that the next pass syncs the change: restoring, undoing, resolving.
///
/// A command decides on files that it has read. If another program changes one of them before the command writes it, the write is
/// refused.
package struct StoreEdit {
  package let workspace: Workspace
  package let store: any Replica
  /// What the history says of each change, such as "restored with `syncd restore`".
  private let reason: String
  private let read = ReadFiles()

  package init(_ workspace: Workspace, as reason: String) async throws(SyncError) {
    self.workspace = workspace
    self.reason = reason
    store = try await workspace.stack.openStore()
    try await store.recover()
  }

  /// Returns the present entry at `path`, with its content kept in the archive; nil if the file does not exist. Until it is
  /// written, the file must stay as it was when it was read first.
  package func current(_ path: SyncPath) async throws(SyncError) -> Entry? {
    let entry = try await present(path)
    read.add(path, entry?.digest)
    return entry
  }

  /// Requires that the file at `path` has this digest when it is written, or that it does not exist if the digest is nil: for a
  /// caller that has read it by other means.
  package func expect(_ digest: Digest?, at path: SyncPath) { read.add(path, digest) }

  private func present(_ path: SyncPath) async throws(SyncError) -> Entry? {
    switch try await store.read(file: path, into: workspace.archive.intake(keepingAtMost: .max)) {
    case .read(let entry): return entry
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Puts `content` at `path`, or nothing if it is nil. What was there is in history before it is replaced, and the history
  /// records the change, so that `syncd undo` can undo it. Returns false if it was so already. Throws `.changedMeanwhile` if
  /// the file has changed since it was read.
  @discardableResult
  package func put(_ content: Content?, at path: SyncPath) async throws(SyncError) -> Bool {
    guard let action = try await replace(content, at: path) else { return false }
    try await record([action])
    return true
  }

  /// Writes several files as one step of the history. If one of them has changed since it was read, those written before it
  /// get their old contents back, and the error is thrown.
  package func put(_ changes: [StoreChange]) async throws(SyncError) {
    var actions: [Action] = []
    do throws(SyncError) {
      for change in changes {
        guard let action = try await replace(Content(change.after), at: change.path) else { continue }
        actions.append(action)
        try ItemFailpoint.fileWritten.reach()
      }
    } catch {
      if error.code == .changedMeanwhile { try await takeBack(actions) }
      throw error
    }
    try await record(actions)
    try ItemFailpoint.recorded.reach()
  }

  private func takeBack(_ actions: [Action]) async throws(SyncError) {
    for action in actions.reversed() {
      let old = if let digest = action.before { try await workspace.archive.content(digest) } else { Content?.none }
      read.set(action.path, action.after)
      _ = try await replace(old, at: action.path)
    }
  }

  /// Returns what was done; nil if the file had this content already.
  private func replace(_ content: Content?, at path: SyncPath) async throws(SyncError) -> Action? {
    let entry = try await present(path)
    guard entry?.digest != content?.digest else { return nil }
    guard read.allows(path, entry?.digest) else { throw changedMeanwhile(path) }
    var replaced: Content?
    if let digest = entry?.digest {
      try await workspace.archive.keep([Version(remote: Self.name, path: path, digest: digest, side: .local)])
      replaced = try await workspace.archive.content(digest)
    }
    try await workspace.archive.flush()
    let change = Change(
      path: path, content: content, condition: entry.map { .unchanged($0.revision) } ?? .absent, replaced: replaced)
    try check(try await store.commit(change: change), path)
    read.remove(path)
    return Action(
      path: path, kind: content == nil ? .remove : .copy, to: .local, result: .done, detail: reason,
      before: entry?.digest, after: content?.digest)
  }

  private func record(_ actions: [Action]) async throws(SyncError) {
    var record = Record(remote: Self.name)
    record.actions = actions
    try await workspace.archive.record(record)
  }

  /// Stands in the history where the name of a remote stands otherwise.
  package static let name = "store"

  private func check(_ result: WriteResult, _ path: SyncPath) throws(SyncError) {
    switch result {
    case .done, .accepted: return
    case .cannot(let reason), .postponed(let reason):
      throw SyncError(.pathFailed, "\(path) is unchanged: \(reason)")
    case .refused: throw changedMeanwhile(path)
    case .unknown(let error), .failed(let error): throw error
    }
  }

  private func changedMeanwhile(_ path: SyncPath) -> SyncError {
    SyncError(.changedMeanwhile, "another program has just changed \(path); syncd did not overwrite it. Try again")
  }
}

/// The files that a command has read, with their digests; nil for those that did not exist.
private final class ReadFiles: Sendable {
  private let digests: Mutex<[SyncPath: Digest?]> = Mutex([:])

  /// Adds a file, unless it was read before.
  func add(_ path: SyncPath, _ digest: Digest?) {
    digests.withLock { digests in if digests[path] == nil { digests.updateValue(digest, forKey: path) } }
  }

  func set(_ path: SyncPath, _ digest: Digest?) { digests.withLock { _ = $0.updateValue(digest, forKey: path) } }

  func remove(_ path: SyncPath) { digests.withLock { _ = $0.removeValue(forKey: path) } }

  /// Returns true if the file was not read, or has not changed since.
  func allows(_ path: SyncPath, _ digest: Digest?) -> Bool {
    digests.withLock { digests in digests[path].map { $0 == digest } ?? true }
  }
}
