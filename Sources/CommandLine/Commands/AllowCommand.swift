import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// The held deletions that a command applies to.
struct HoldChoice: ParsableArguments {
  @Argument(help: "ID of the held deletions, as `syncd status` shows it.", completion: .holds) var id: String

  @Argument(
    help: ArgumentHelp(
      "Only these files: paths in the store, or patterns in git's syntax. Default: all.", valueName: "pattern"))
  var patterns: [String] = []

  var chosen: [PathChoice] { patterns.map(PathChoice.init) }

  /// Returns the settings of the store that has the held deletions.
  func configuration(_ common: CommonOptions) async throws -> DaemonConfiguration {
    let stores = try common.stores()
    return try await common.one(of: stores) { store in
      try await Workspace.with(store, .readOnly) { try await $0.history.holds().contains { $0.hold.id == id } }
    }
  }
}

/// `syncd allow`: approves held deletions.
struct AllowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Approve exactly the deletions that `syncd status` lists under an ID; later ones stay held.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var choice: HoldChoice

  func run() async throws {
    try await Workspace.with(choice.configuration(common), .exclusive) { workspace in
      let allowed = try await workspace.allow(choice.id, choice.chosen)
      if common.json {
        Console.print(json: ["version": 1, "id": .string(choice.id), "allowed": .integer(allowed)])
      } else if !common.quiet {
        Console.print("allowed \(allowed.counted("deletion")); the next pass deletes the files")
      }
    }
  }
}
