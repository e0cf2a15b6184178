import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd restore`: one file back as it was.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a previous version of a file in the store.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var version: VersionOptions

  func run() async throws {
    let configuration = try common.configuration()
    let path = try version.path.path(in: configuration)
    let isChanged = try await Workspace.with(configuration, .exclusive) { workspace in
      let versions = FormerVersions(workspace: workspace)
      let content = try await versions.content(of: path, afterPass: versions.number(of: version.at), version.digest)
      return try await StoreEdit(workspace).put(content, at: path)
    }
    if common.json { return Console.print(json: ["version": 1, "path": .string(path.description)]) }
    guard !common.quiet else { return }
    Console.print(
      isChanged
        ? "restored \(path); the next pass sends it to the remotes"
        : "\(path) has this content already. If a remote has lost it, `syncd status` shows how to put it back there")
  }
}

/// `syncd undo`: everything that a pass did to the store.
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo everything that a pass changed in the store.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "Number of the pass, as `syncd log` shows it.") var pass: Int

  func run() async throws {
    try await Workspace.with(common.configuration(), .exclusive) { workspace in
      guard let record = try await workspace.history.pass(pass) else {
        throw SyncError(.notFound, "there is no pass \(pass); `syncd log` lists the passes")
      }
      let actions = record.actions.map(\.action).filter {
        $0.result == .done && $0.to != .remote && $0.before != $0.after
      }
      let errors = try await undo(actions, in: workspace)
      for error in errors { Console.error("syncd: \(error.explanation)") }
      if common.json {
        Console.print(
          json: [
            "version": 1, "pass": .integer(pass), "undone": .integer(actions.count - errors.count),
            "failed": .array(errors.map { .string($0.explanation) }),
          ])
      } else if !common.quiet {
        Console.print(
          "undid \((actions.count - errors.count).counted("change")) of pass \(pass); the next pass sends the result to the remotes"
        )
      }
      if !errors.isEmpty { throw ExitCode(4) }
    }
  }

  /// Undoes the newest change first. Returns the errors, which do not stop the rest.
  private func undo(_ actions: [Action], in workspace: Workspace) async throws -> [SyncError] {
    let edit = try await StoreEdit(workspace)
    var errors: [SyncError] = []
    for action in actions.reversed() {
      do throws(SyncError) { try await undo(action, by: edit) } catch { errors.append(error) }
    }
    return errors
  }

  private func undo(_ action: Action, by edit: StoreEdit) async throws(SyncError) {
    guard try await edit.current(action.path)?.digest == action.after else {
      throw SyncError(.changedMeanwhile, "\(action.path) has changed since pass \(pass); not undone")
    }
    var content: Content?
    if let before = action.before {
      content = try await edit.workspace.archive.content(before)
      if content == nil {
        throw SyncError(.notFound, "the previous version of \(action.path) is no longer in the history; not undone")
      }
    }
    try await edit.put(content, at: action.path)
  }
}
