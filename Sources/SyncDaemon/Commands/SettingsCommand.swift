import ArgumentParser
import SyncKit

/// `syncd settings …`: everything about the settings file, made from the declarations alone.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Check, show and describe the settings.",
    subcommands: [Check.self, Show.self, Schema.self, Template.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say what is wrong with the settings file, if anything.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let configuration = try common.configuration()
      guard !common.json else {
        return Console.print(json: ["version": 1, "file": .string(configuration.file), "valid": true])
      }
      Console.print("\(configuration.file): no mistakes, \(configuration.remotes.count) remotes")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the values in effect and where they come from.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let tables = try common.configuration().effective
      if common.json {
        Console.print(json: ["version": 1, "tables": .array(tables.map(\.json))])
      } else {
        Console.print(tables.map(\.text).joined(separator: "\n"), terminator: "")
      }
    }
  }

  struct Schema: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print a JSON Schema of the settings file.")

    func run() async throws {
      Console.print(json: DaemonConfiguration.layout(of: Program.registry).schema)
    }
  }

  struct Template: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print a settings file with every setting explained.")

    func run() async throws {
      Console.print(DaemonConfiguration.layout(of: Program.registry).template, terminator: "")
    }
  }
}
