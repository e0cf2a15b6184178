import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd undo`: undoes all actions of a pass, on both sides.
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo everything that a pass did, in the store and on the remotes.",
    discussion: "The store gets back what was there before the pass, and the next pass sends that to the remotes.")

  @OptionGroup var common: CommonOptions
  @Flag(help: "Only list what would be undone.") var list = false
  @Argument(help: "Number of the pass, as `syncd log` shows it, or `last`.", completion: .passes) var pass: String

  func validate() throws {
    guard pass == "last" || Int(pass) != nil else {
      throw ValidationError("'\(pass)' is not the number of a pass, or `last`")
    }
  }

  func run() async throws {
    try await Workspace.with(common.configuration(), list ? .readOnly : .exclusive) { workspace in
      let record = try await record(in: workspace)
      let past = try await changes(of: record, in: workspace)
      if list { return show(past, of: record) }
      let errors = try await undo(past.changes, of: record, in: workspace)
      let revoked = try await workspace.revokeDecisions(record.actions)
      for error in errors { Console.error("syncd: \(error.explanation)") }
      tell(past.changes.count - errors.count + revoked, errors, past, of: record)
      if !errors.isEmpty { throw ExitCode(4) }
    }
  }

  private func record(in workspace: Workspace) async throws -> PassRecord {
    if pass == "last", let record = try await workspace.history.passes(atMost: 1).first { return record }
    if let number = Int(pass), let record = try await workspace.history.pass(number) { return record }
    throw SyncError(.notFound, "pass \(pass) not found; run `syncd log` to list the passes")
  }

  // MARK: Actions of a pass

  /// The change of one file in a pass.
  private struct PastChange {
    var path: SyncPath
    /// The version after the pass, in the store or the remote; nil for none.
    var after: Digest?
    /// The version to restore in the store; nil for none.
    var before: Digest?
  }

  /// What a pass did.
  private struct Past {
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

  /// Returns what a pass did. A file that came from one remote and went to another is one change.
  private func changes(of record: PassRecord, in workspace: Workspace) async throws(SyncError) -> Past {
    let done = record.actions.filter { $0.action.result == .done }
    let incoming = done.map(\.action).filter { $0.to != .remote && $0.before != $0.after }
    var changes = incoming.map { PastChange(path: $0.path, after: $0.after, before: $0.before) }
    var firstSent = 0
    var known = Set(incoming.map(\.path))
    for item in done where item.action.to == .remote && item.action.kind != .forget {
      guard known.insert(item.action.path).inserted else { continue }
      // What a remote with `match` had is only a part of the file.
      guard workspace.configuration.remotes.allSatisfy({ $0.name != item.remote || $0.match == nil }) else { continue }
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
  private func replaced(
    by item: RemoteAction, in record: PassRecord, _ workspace: Workspace
  ) async throws(SyncError) -> Digest? {
    try await workspace.history.versions(of: item.action.path).first {
      $0.pass == record.number && $0.remote == item.remote && $0.side != .local
    }?.digest
  }

  // MARK: Undoing

  /// Undoes the changes. Returns the errors, which do not stop the others.
  private func undo(
    _ changes: [PastChange], of record: PassRecord, in workspace: Workspace
  ) async throws -> [SyncError] {
    let edit = try await StoreEdit(workspace, as: "undid pass \(record.number)")
    var errors: [SyncError] = []
    for change in changes {
      do throws(SyncError) { try await undo(change, of: record, by: edit) } catch { errors.append(error) }
    }
    return errors
  }

  private func undo(_ change: PastChange, of record: PassRecord, by edit: StoreEdit) async throws(SyncError) {
    guard try await edit.current(change.path)?.digest == change.after else {
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

  // MARK: Output

  private func show(_ past: Past, of record: PassRecord) {
    if common.json { return printJSON(past.changes.count, [], of: record) }
    for change in past.changes {
      let what = change.before == nil ? "remove" : change.after == nil ? "put back" : "restore"
      Console.print("\(what) \(change.path)")
    }
    if past.changes.isEmpty, !common.quiet { Console.print(past.nothing(of: record)) }
  }

  private func tell(_ count: Int, _ errors: [SyncError], _ past: Past, of record: PassRecord) {
    if common.json { return printJSON(count, errors, of: record) }
    guard !common.quiet else { return }
    Console.print(
      count == 0 && errors.isEmpty
        ? past.nothing(of: record)
        : "undid \(count.counted("change")) of pass \(record.number); the next pass sends the result to the remotes")
  }

  private func printJSON(_ count: Int, _ errors: [SyncError], of record: PassRecord) {
    Console.print(
      json: [
        "version": 1, "pass": .integer(record.number), "undone": .integer(count),
        "failed": .array(errors.map { .string($0.explanation) }),
      ])
  }
}
