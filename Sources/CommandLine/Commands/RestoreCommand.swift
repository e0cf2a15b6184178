import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd restore`: restores a previous version of a file.
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
      return try await StoreEdit(workspace, as: "restored with `syncd restore`").put(content, at: path)
    }
    if common.json { return Console.print(json: ["version": 1, "path": .string(path.description)]) }
    guard !common.quiet else { return }
    Console.print(
      isChanged
        ? "restored \(path); the next pass sends it to the remotes"
        : "\(path) has this content already. If a remote has lost it, `syncd status` shows how to put it back there")
  }
}
