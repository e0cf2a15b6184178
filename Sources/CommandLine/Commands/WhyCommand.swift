import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd why`: explains the last decision for a file, with the underlying facts.
struct WhyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Explain the last decision about a file.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.", completion: .storeFiles) var path: StorePath

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let decisions = try await workspace.history.decisions(on: path)
      let store = try await workspace.stack.openStore()
      let filter = try await workspace.stack.filter(for: store)
      let now = try await digest(of: path, in: store, workspace)
      let exclusions = try await exclusions(of: path, filter, store, workspace)
      let others = exclusions.filter(\.isWhole).map(\.remote)
      if common.json { return Console.print(json: json(path, decisions, now, filter.accepts(path), others)) }
      Console.print("\(path)")
      Console.print("  in the store now: \(now)")
      if !filter.accepts(path) { Console.print("  excluded: the settings or .syncdignore exclude it from syncing") }
      for exclusion in exclusions { Console.print("  \(exclusion.remote): \(exclusion.reason)") }
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

  /// The reason why a remote does not have a file, or has only a part of it.
  private struct Exclusion {
    var remote: String
    var reason: String
    /// True if nothing of the file is synced with the remote.
    var isWhole: Bool
  }

  private func exclusions(
    of path: SyncPath, _ filter: PathFilter, _ store: any Replica, _ workspace: Workspace
  ) async throws(SyncError) -> [Exclusion] {
    guard filter.accepts(path) else { return [] }
    var exclusions: [Exclusion] = []
    for remote in workspace.configuration.remotes {
      let patterns = remote.patterns
      if !filter.narrowed(include: patterns.include, ignore: patterns.exclude).accepts(path) {
        let reason = "excluded: `include` or `exclude` of the remote excludes it"
        exclusions.append(Exclusion(remote: remote.name, reason: reason, isWhole: true))
      } else if let selection = try await workspace.stack.selection(of: path, in: store, for: remote) {
        exclusions.append(Exclusion(remote: remote.name, reason: selection.text, isWhole: selection.isEmpty))
      }
    }
    return exclusions
  }

  private func json(_ path: SyncPath, _ decisions: [Decision], _ now: String, _ takesPart: Bool, _ others: [String])
    -> JSON
  {
    [
      "version": 1, "path": .string(path.description), "store": .string(now), "takes-part": .boolean(takesPart),
      "excluded-from": .array(others.map(JSON.string)),
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
