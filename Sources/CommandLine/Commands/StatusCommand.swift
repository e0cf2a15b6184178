import ArchiveSQLite
import ArgumentParser
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd status`: shows for each remote its last success, its error, what is not synced yet and what needs attention. Its exit
/// status is that of the worst remote.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show each remote's state and what needs your attention.",
    discussion: "The exit status is that of the remote that needs attention most, as after `syncd --once`.")

  @OptionGroup var common: CommonOptions

  @Flag(help: "Keep running, and report every pass of the service.")
  var watch = false

  func run() async throws {
    let result = try await show()
    if watch { return try StatusWatch(json: common.json).follow(StateFolder(path: common.configuration().stateFolder)) }
    throw ExitCode(result.exitStatus)
  }

  private func show() async throws -> PassResult {
    try await Workspace.with(common.configuration(), .readOnly) { workspace in
      let overviews = try await RemoteOverview.all(in: workspace)
      let hasService = ControlSocket.isServed(workspace.state)
      if common.json {
        print(overviews, hasService, try await workspace.history.facts(), workspace.configuration)
      } else {
        for line in overviews.flatMap(\.lines) { Console.print(line) }
        let facts = try await workspace.history.facts()
        Console.print("history: \(facts.versions.counted("previous version")), \(size(facts.bytes))")
        Console.print("service: \(hasService ? "running" : "not running")")
      }
      return overviews.map(\.result).max() ?? .synced
    }
  }

  private func print(
    _ overviews: [RemoteOverview], _ hasService: Bool, _ facts: ArchiveFacts, _ configuration: DaemonConfiguration
  ) {
    Console.print(
      json: [
        "version": 1, "pass": .integer(facts.lastPass), "store": configuration.store.root.map(JSON.string) ?? .null,
        "state": .string(configuration.stateFolder), "service": .boolean(hasService),
        "history": ["versions": .integer(facts.versions), "bytes": .integer(facts.bytes)],
        "remotes": .array(overviews.map(\.json)),
      ])
  }
}
