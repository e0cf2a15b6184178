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

  /// Renames a file to an unused name and keeps its content and time. Throws `.notFound` if the file does not exist.
  package func move(_ path: SyncPath, to other: SyncPath) async throws(SyncError) {
    guard let entry = try await present(path), let digest = entry.digest,
      let content = try await workspace.archive.content(digest)
    else { throw SyncError(.notFound, "\(path) not found in the store") }
    guard try await present(other) == nil else {
      throw SyncError(.pathFailed, "cannot move \(path): \(other) exists")
    }
    try await keep(digest, at: path)
    // One after the other: in a batch, the removal would not depend on the creation.
    let creation = Change(path: other, content: content, condition: .absent, modified: entry.modified)
    try check(try await store.commit(change: creation), other)
    try ItemFailpoint.fileWritten.reach()
    let removal = Change(path: path, content: nil, condition: .unchanged(entry.revision), replaced: content)
    let result = try await store.commit(change: removal)
    var actions = [action(.copy, other, before: nil, after: digest)]
    if case .done = result { actions.append(action(.remove, path, before: digest, after: nil)) }
    try await record(actions)
    try check(result, path)
  }

  /// Returns the present entry at `path` as `present` does. The digest of a file whose content is damaged is that of the damaged
  /// bytes, which are kept in the archive, too: a person who replaces or removes the file loses nothing of it.
  private func replaceable(_ path: SyncPath) async throws(SyncError) -> Entry? {
    do throws(SyncError) { return try await present(path) } catch {
      guard let found = error.found, case .present(var entry) = try await store.confirm(file: path) else { throw error }
      entry.digest = found
      return entry
    }
  }

  /// Adds the version of a file that is about to be replaced to the history.
  private func keep(_ digest: Digest, at path: SyncPath) async throws(SyncError) {
    try await workspace.archive.keep([Version(remote: Self.name, path: path, digest: digest, side: .local)])
    try await workspace.archive.flush()
  }

  private func action(_ kind: Action.Kind, _ path: SyncPath, before: Digest?, after: Digest?) -> Action {
    Action(path: path, kind: kind, to: .local, result: .done, detail: reason, before: before, after: after)
  }

  /// Returns what was done; nil if the file had this content already.
  private func replace(_ content: Content?, at path: SyncPath) async throws(SyncError) -> Action? {
    let entry = try await replaceable(path)
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
    return action(content == nil ? .remove : .copy, path, before: entry?.digest, after: content?.digest)
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
