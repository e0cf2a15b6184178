import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd backends`: lists the linked modules.
struct BackendsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backends", abstract: "List the modules linked into this program, or show one with its settings.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "ID of a module.") var id: String?

  func run() async throws {
    let registry = Program.registry
    if let id, registry.details(of: id) == nil {
      throw ValidationError(
        "unknown module \"\(id)\"; the modules are \(Set(registry.plugins.map { $0.id }).sorted().joined(separator: ", "))"
      )
    }
    if common.json {
      Console.print(json: ["version": 1, "backends": registry.json(only: id)])
    } else {
      Console.print(id.flatMap { registry.details(of: $0) } ?? registry.listing, terminator: "")
    }
  }
}
