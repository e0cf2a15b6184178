import ArchiveSQLite
import SyncDaemon
import SyncKit

/// Everything that a pass did in the store and on the remotes, to be undone: the store gets back what was there before.
struct PassUndo {
  /// The change of one file in a pass.
  struct PastChange {
    var path: SyncPath
    /// The version after the pass, in the store or the remote; nil for none.
    var after: Digest?
    /// The version to restore in the store; nil for none.
    var before: Digest?
  }

  /// What a pass did.
  struct Past {
    /// The changes that can be undone, newest first.
    var changes: [PastChange]
    /// The number of files that the pass was the first to send to a remote. They are the user's, and stay.
    var firstSent = 0

    /// The sentence for a pass without a change that can be undone.
    func nothing(of record: PassRecord) -> String {
      guard firstSent > 0 else { return "pass \(record.number) changed nothing" }
      let files = firstSent.counted("file")
      return "pass \(record.number) only sent \(files) of the store that the remote did not have; nothing was undone"
    }
  }

  /// The pass.
  let record: PassRecord
  /// The changes of the pass.
  let past: Past
  private let workspace: Workspace

  /// Finds a pass by its number, or the last one by `last`.
  init(_ pass: String, in workspace: Workspace) async throws {
    self.workspace = workspace
    record = try await Self.record(pass, in: workspace)
    past = try await Self.changes(of: record, in: workspace)
  }

  private static func record(_ pass: String, in workspace: Workspace) async throws -> PassRecord {
    if pass == "last", let record = try await workspace.history.passes(atMost: 1).first { return record }
    if let number = Int(pass), let record = try await workspace.history.pass(number) { return record }
    throw SyncError(.notFound, "pass \(pass) not found; run `syncd log` to list the passes")
  }

  /// The result as JSON.
  static func json(_ count: Int, _ errors: [SyncError], of record: PassRecord) -> JSON {
    [
      "version": 1, "pass": .integer(record.number), "undone": .integer(count),
      "failed": .array(errors.map { .string($0.explanation) }),
    ]
  }

  /// Returns what a pass did. A file that came from one remote and went to another is one change.
  private static func changes(
    of record: PassRecord, in workspace: Workspace
  ) async throws(SyncError) -> Past {
    let done = record.actions.filter { $0.action.result == .done }
    let incoming = done.map(\.action).filter { $0.to != .remote && $0.before != $0.after }
    var changes = incoming.map { PastChange(path: $0.path, after: $0.after, before: $0.before) }
    var firstSent = 0
    var known = Set(incoming.map(\.path))
    for item in done where item.action.to == .remote && item.action.kind != .forget {
      guard !workspace.configuration.partialRemotes.contains(item.remote),
        known.insert(item.action.path).inserted
      else { continue }
      guard let replaced = try await replaced(by: item, in: record, workspace) else {
        firstSent += 1
        continue
      }
      guard replaced != item.action.after else { continue }
      changes.append(PastChange(path: item.action.path, after: item.action.after, before: replaced))
    }
    return Past(changes: changes.reversed(), firstSent: firstSent)
  }

  /// Returns the version of the remote that a pass replaced or removed; nil if the remote had none.
  private static func replaced(
    by item: RemoteAction, in record: PassRecord, _ workspace: Workspace
  ) async throws(SyncError) -> Digest? {
    try await workspace.history.versions(of: item.action.path).first {
      $0.pass == record.number && $0.remote == item.remote && $0.side != .local
    }?.digest
  }

  // MARK: Undoing

  /// Undoes the changes, and takes back decisions about held deletions. Returns their number, and the errors, which do not stop
  /// the others.
  func carryOut() async throws -> (count: Int, errors: [SyncError]) {
    let edit = try await StoreEdit(workspace, as: "undid pass \(record.number)")
    var errors: [SyncError] = []
    for change in past.changes {
      do throws(SyncError) { try await undo(change, by: edit) } catch { errors.append(error) }
    }
    return (past.changes.count - errors.count + (try await workspace.revokeDecisions(record.actions)), errors)
  }

  private func undo(_ change: PastChange, by edit: StoreEdit) async throws(SyncError) {
    let present = try await edit.current(change.path)?.digest
    // Also after an undo that was killed: the same command completes it.
    guard present != change.before else { return }
    guard present == change.after else {
      throw SyncError(.changedMeanwhile, "\(change.path) has changed since pass \(record.number); not undone")
    }
    var content: Content?
    if let before = change.before {
      content = try await edit.workspace.archive.content(before)
      if content == nil {
        throw SyncError(.notFound, "cannot undo \(change.path): the history no longer contains its previous version")
      }
    }
    try await edit.put(content, at: change.path)
  }
}
