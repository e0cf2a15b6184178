import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd diff`: shows the changes of a file between two versions.
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what changed in a file between two versions: by entry in Org files, by line in other text.",
    discussion: """
      A version is the number of a pass, a time such as "2026-11-20 08:00" or yesterday, or a digest, as \
      `syncd log PATH` shows it.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.", completion: .storeFiles) var path: StorePath
  @Argument(help: "The older version. Default: the one that was last replaced.") var from: VersionChoice?
  @Argument(help: "The newer version. Default: the one in the store.") var to: VersionChoice?

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let versions = FormerVersions(workspace: workspace)
      let old = try await older(of: path, versions)
      let new = try await newer(of: path, versions)
      let lines = try await ContentChange(
        path: path, old: versions.bytes(old, of: path), new: versions.bytes(new, of: path)
      ).lines
      if common.json {
        let digests = [old, new].map { $0.map { JSON.string($0.description) } ?? .null }
        Console.print(
          json: [
            "version": 1, "path": .string(path.description), "from": digests[0], "to": digests[1],
            "changes": .array(lines.map(JSON.string)),
          ])
      } else if !common.quiet {
        for line in lines { Console.print(change: line) }
      }
    }
  }

  private func older(of path: SyncPath, _ versions: FormerVersions) async throws(SyncError) -> Digest? {
    if let from { return try await versions.digest(from, of: path) }
    return try await versions.lastReplaced(path)
  }

  private func newer(of path: SyncPath, _ versions: FormerVersions) async throws(SyncError) -> Digest? {
    if let to { return try await versions.digest(to, of: path) }
    return try await versions.present(path)
  }
}
