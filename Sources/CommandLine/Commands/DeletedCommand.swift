import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd deleted`: lists files that were deleted from the store, and how to restore them.
struct DeletedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deleted", abstract: "List deleted files, the last one first; `syncd restore PATH` restores one.")

  @OptionGroup var common: CommonOptions
  @Option(help: "Only files deleted since this time, such as yesterday, 2h or \"2026-11-20 08:00\".")
  var since: PointInTime?
  @Argument(
    help: ArgumentHelp(
      "Only these files: paths in the store, or patterns in git's syntax. Default: all.", valueName: "pattern"))
  var patterns: [String] = []

  func run() async throws {
    try await common.eachStore { configuration in
      try await Workspace.with(configuration, .readOnly) { workspace in
        let files = try await files(in: workspace)
        if common.json { return ["version": 1, "files": .array(files.map(json))] }
        for file in files { Console.print(line(file)) }
        if files.isEmpty, !common.quiet { Console.print("no deleted files") }
        return nil
      }
    }
  }

  /// Returns the selected deleted files that do not exist again.
  private func files(in workspace: Workspace) async throws(SyncError) -> [DeletedFile] {
    let chosen = patterns.map(PathChoice.init)
    let files = try await workspace.history.deletedFiles(since: since?.time).filter { file in
      chosen.isEmpty || chosen.contains { $0.matches(file.path) }
    }
    let presence = try await workspace.stack.openStore().confirm(files.map(\.path))
    var deleted: [DeletedFile] = []
    for (file, presence) in try files.paired(with: presence, from: "the store") {
      if case .present = presence { continue }
      deleted.append(try await whole(file, in: workspace))
    }
    return deleted
  }

  /// Returns the file with its last whole version: a remote with `match` had a part of it.
  private func whole(_ file: DeletedFile, in workspace: Workspace) async throws(SyncError) -> DeletedFile {
    guard !workspace.configuration.partialRemotes.isEmpty else { return file }
    let version = try await workspace.wholeVersions(of: file.path).first { $0.pass == file.pass }
    var file = file
    file.size = version?.size
    if let version { file.digest = version.digest }
    return file
  }

  private func line(_ file: DeletedFile) -> String {
    let content =
      file.size.map { size($0) } ?? "no longer in the history"
    let copy = file.copy.map { ", same content in \($0)" } ?? ""
    return "\(LocalTime(file.deleted))  pass \(file.pass)  \(file.path)  (\(content)\(copy))"
  }

  private func json(_ file: DeletedFile) -> JSON {
    [
      "path": .string(file.path.description), "pass": .integer(file.pass),
      "deleted": .string("\(CivilTime(file.deleted))"), "digest": .string(file.digest.description),
      "size": file.size.map(JSON.integer) ?? .null,
      "same-content-in": file.copy.map { .string($0.description) } ?? .null,
    ]
  }
}
