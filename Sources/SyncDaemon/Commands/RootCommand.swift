import ArgumentParser
import SyncKit

/// `syncd` itself: one pass, or a service.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncd",
    abstract: "Keeps the Org files of a folder and any number of remotes in agreement, and never loses a line.",
    version: "0.1.0",
    subcommands: [BackendsCommand.self, SettingsCommand.self])

  @OptionGroup var common: CommonOptions

  @Flag(help: "Sync once and exit; without it, run as a service.")
  var once = false

  @Option(help: "Only this remote; may be given several times.")
  var remote: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done; change nothing.")
  var dryRun = false

  func run() async throws {
  }
}
