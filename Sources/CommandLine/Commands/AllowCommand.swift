import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd allow`: lets a held set of deletions through.
struct AllowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract:
      "Let exactly the deletions through that `syncd status` shows under an ID, once; nothing that joined later.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "The ID of the held set.") var id: String

  func run() async throws {
    try await Workspace.with(common.configuration(), .exclusive) { workspace in
      let allowed = try await workspace.allow(id)
      if common.json {
        Console.print(json: ["version": 1, "id": .string(id), "allowed": .integer(allowed)])
      } else if !common.quiet {
        Console.print("allowed \(allowed) deletions; the next sync makes them")
      }
    }
  }
}
