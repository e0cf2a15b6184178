import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd settings …`: all commands about the settings file, generated from the declarations.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Check, show and document the settings.",
    subcommands: [Check.self, Show.self, Schema.self, Template.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Check the settings file for mistakes.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let stores = try common.stores()
      guard !common.json else {
        return Console.print(json: ["version": 1, "file": .string(common.settingsPath), "valid": true])
      }
      let count = stores.count > 1 ? "\(stores.count.counted("store")), " : ""
      Console.print(
        "\(common.settingsPath): no mistakes, \(count)\(stores.flatMap(\.remotes).count.counted("remote"))")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the values in effect and their origin.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let stores = try common.stores()
      if common.json {
        Console.print(json: try await Self.document(stores))
      } else {
        let tables = DaemonConfiguration.effective(stores)
        let desktops = try await Self.desktops(stores)
        let blocks = tables.map(\.text) + desktops.map { $0.setup.text(of: $0.remote) }
        Console.print(blocks.joined(separator: "\n"), terminator: "")
      }
    }

    /// The settings of stores in effect as JSON, with secrets redacted.
    static func document(_ stores: [DaemonConfiguration]) async throws -> JSON {
      [
        "version": 1, "tables": .array(DaemonConfiguration.effective(stores).map(\.json)),
        "desktops": .array(try await desktops(stores).map { $0.setup.json(of: $0.remote) }),
      ]
    }

    private static func desktops(
      _ stores: [DaemonConfiguration]
    ) async throws -> [(remote: String, setup: DesktopSetup)] {
      var desktops: [(remote: String, setup: DesktopSetup)] = []
      for store in stores { desktops += try await Workspace.with(store, .readOnly) { try await $0.desktops() } }
      return desktops
    }
  }

  struct Schema: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Print the JSON Schema of the settings file.")

    func run() async throws {
      Console.print(json: DaemonConfiguration.layout(of: Program.registry).schema)
    }
  }

  struct Template: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "template", abstract: "Print a settings file that explains every setting.")

    func run() async throws {
      Console.print(DaemonConfiguration.layout(of: Program.registry).template, terminator: "")
    }
  }
}

/// The section about desktops: separate from the settings, because it cannot be set here.
extension DesktopSetup {
  fileprivate func text(of remote: String) -> String {
    let values = [("todo", todo), ("tags", tags), ("priorities", priorities)]
    return
      "# Read-only: the Org settings that the desktop of the remote \"\(remote)\" last published.\n[desktop.\(remote)]\n"
      + values.map { "\($0) = [\($1.map { TOMLValue.string($0).text }.joined(separator: ", "))]\n" }.joined()
  }

  fileprivate func json(of remote: String) -> JSON {
    [
      "remote": .string(remote), "todo": .array(todo.map(JSON.string)), "tags": .array(tags.map(JSON.string)),
      "priorities": .array(priorities.map(JSON.string)),
    ]
  }
}
