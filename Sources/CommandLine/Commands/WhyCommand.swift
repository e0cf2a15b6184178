import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd why`: explains the last decision for a file, with the underlying facts.
struct WhyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Explain the last decision about a file.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.") var path: StorePath

  func run() async throws {
    let configuration = try common.configuration()
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let decisions = try await workspace.history.decisions(on: path)
      let store = try await workspace.stack.openStore()
      let filter = try await workspace.stack.filter(for: store)
      let now = try await digest(of: path, in: store, workspace)
      if common.json { return Console.print(json: json(path, decisions, now, filter.accepts(path))) }
      Console.print("\(path)")
      Console.print("  in the store now: \(now)")
      if !filter.accepts(path) { Console.print("  excluded: the settings or .syncdignore exclude it from syncing") }
      for line in decisions.flatMap(lines) { Console.print(line) }
      if decisions.isEmpty { Console.print("  no decision yet") }
    }
  }

  private func digest(of path: SyncPath, in store: any Replica, _ workspace: Workspace) async throws(SyncError)
    -> String
  {
    let sink = workspace.archive.intake(keepingAtMost: 0)
    switch try await store.read(file: path, into: sink) {
    case .read(let entry): return "version \(entry.digest?.short ?? "?"), \(entry.size.counted("byte"))"
    case .absent: return "nothing"
    case .postponed(let reason): return "cannot be read now: \(reason)"
    case .failed(let error): return error.explanation
    }
  }

  private func lines(_ decision: Decision) -> [String] {
    let agreed = decision.agreement.map { "version \($0.digest.short)" } ?? "nothing"
    var lines = ["  \(decision.remote): agreed on \(agreed)"]
    if let action = decision.action, let pass = decision.pass {
      let time = decision.time.map { ", \(LocalTime($0))" } ?? ""
      lines.append(
        "    pass \(pass)\(time): \(action.kind.rawValue) to \(action.to.rawValue), \(action.result.rawValue)")
      if !action.detail.isEmpty { lines.append("    reason: \(action.detail)") }
      lines.append(
        "    store before: \(action.before?.short ?? "nothing"), after: \(action.after?.short ?? "nothing")")
    }
    return lines
  }

  private func json(_ path: SyncPath, _ decisions: [Decision], _ now: String, _ takesPart: Bool) -> JSON {
    [
      "version": 1, "path": .string(path.description), "store": .string(now), "takes-part": .boolean(takesPart),
      "remotes": .array(
        decisions.map { decision in
          [
            "name": .string(decision.remote),
            "agreed": decision.agreement.map { .string($0.digest.description) } ?? .null,
            "pass": decision.pass.map(JSON.integer) ?? .null, "action": decision.action.map(ReportJSON.json) ?? .null,
          ]
        }),
    ]
  }
}
