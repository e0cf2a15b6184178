import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd allow`: lets a held set of deletions through.
struct AllowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract:
      "Approve exactly the deletions that `syncd status` lists under an ID; later ones stay held.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "ID of the held deletions.") var id: String

  func run() async throws {
    try await Workspace.with(common.configuration(), .exclusive) { workspace in
      let allowed = try await workspace.allow(id)
      if common.json {
        Console.print(json: ["version": 1, "id": .string(id), "allowed": .integer(allowed)])
      } else if !common.quiet {
        Console.print("allowed \(allowed.counted("deletion")); the next pass deletes the files")
      }
    }
  }
}
