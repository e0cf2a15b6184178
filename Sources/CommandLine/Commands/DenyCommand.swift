import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd deny`: undoes held deletions.
struct DenyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Undo the deletions that `syncd status` lists under an ID: put the files back.",
    discussion: """
      The next pass copies each file from the side that still has it to the side where it is missing or empty, whichever \
      that is. A file that was written again in the meantime is not overwritten.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var choice: HoldChoice

  func run() async throws {
    try await Workspace.with(choice.configuration(common), .exclusive) { workspace in
      let denied = try await workspace.deny(choice.id, choice.chosen)
      if common.json {
        Console.print(json: ["version": 1, "id": .string(choice.id), "denied": .integer(denied)])
      } else if !common.quiet {
        Console.print("denied \(denied.counted("deletion")); the next pass puts the files back")
      }
    }
  }
}
