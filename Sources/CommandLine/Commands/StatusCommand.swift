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
    var result = PassResult.synced
    try await common.eachStore { configuration in
      let (document, worst) = try await show(configuration)
      result = max(result, worst)
      return document
    }
    if watch {
      return try StatusWatch(json: common.json).follow(common.stores().map { StateFolder(path: $0.stateFolder) })
    }
    throw ExitCode(result.exitStatus)
  }

  private func show(_ configuration: DaemonConfiguration) async throws -> (JSON?, PassResult) {
    try await Workspace.with(configuration, .readOnly) { workspace in
      let overviews = try await RemoteOverview.all(in: workspace)
      let hasService = ControlSocket.isServed(workspace.state)
      var document: JSON?
      if common.json {
        document = Self.json(overviews, hasService, try await workspace.history.facts(), workspace.configuration)
      } else {
        for overview in overviews {
          for (number, line) in overview.lines.enumerated() {
            Console.print(line, in: number == 0 ? overview.colour : nil)
          }
        }
        let facts = try await workspace.history.facts()
        Console.print("history: \(facts.versions.counted("previous version")), \(size(facts.bytes))")
        Console.print("service: \(hasService ? "running" : "not running")")
      }
      return (document, overviews.map(\.result).max() ?? .synced)
    }
  }

  /// The state of a store as JSON.
  static func document(_ workspace: Workspace) async throws -> JSON {
    json(
      try await RemoteOverview.all(in: workspace), ControlSocket.isServed(workspace.state),
      try await workspace.history.facts(), workspace.configuration)
  }

  private static func json(
    _ overviews: [RemoteOverview], _ hasService: Bool, _ facts: ArchiveFacts, _ configuration: DaemonConfiguration
  ) -> JSON {
    [
      "version": 1, "pass": .integer(facts.lastPass), "store": configuration.store.place.map(JSON.string) ?? .null,
      "state": .string(configuration.stateFolder), "service": .boolean(hasService),
      "history": [
        "versions": .integer(facts.versions), "bytes": .integer(facts.bytes), "stored": .integer(facts.stored),
      ],
      "remotes": .array(overviews.map(\.json)),
    ]
  }
}
