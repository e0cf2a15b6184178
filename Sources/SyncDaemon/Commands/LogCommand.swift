import ArgumentParser
import SyncKit

/// `syncd log`: the numbered passes and what each did.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the numbered passes and what each did to each file, newest first.")

  @OptionGroup var common: CommonOptions
  @Option(name: [.customShort("l"), .long], help: "Show at most so many passes.") var limit = 100
  @Argument(help: "Only what was done to this file.") var path: StorePath?

  func run() async throws {
    let configuration = try common.configuration()
    try await Workspace.with(configuration, .readOnly) { workspace in
      let passes = try await workspace.history.passes(touching: path?.path(in: configuration), atMost: limit)
      if common.json {
        Console.print(json: ["version": 1, "passes": .array(passes.map(json))])
      } else {
        for pass in passes { for line in lines(pass) { Console.print(line) } }
      }
    }
  }

  private func lines(_ pass: PassRecord) -> [String] {
    ["pass \(pass.number)  \(CivilTime(pass.started))"]
      + pass.actions.map { item in
        let action = item.action
        let result = action.result == .done ? "" : " \(action.result.rawValue)"
        return "  \(item.remote)  \(action.kind.rawValue) to \(action.to.rawValue)\(result)  \(action.path)"
          + (action.detail.isEmpty ? "" : ": \(action.detail)")
      }
  }

  private func json(_ pass: PassRecord) -> JSON {
    [
      "pass": .integer(pass.number), "started": .string("\(CivilTime(pass.started))"),
      "actions": .array(
        pass.actions.map { item in
          var json = ReportJSON.json(item.action)
          json["remote"] = .string(item.remote)
          return json
        }),
    ]
  }
}
