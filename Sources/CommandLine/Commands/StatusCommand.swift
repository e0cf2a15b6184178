import ArchiveSQLite
import ArgumentParser
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd status`: for each remote its last success, its error, and what needs attention.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show each remote's state and what needs your attention.")

  @OptionGroup var common: CommonOptions

  @Flag(help: "Keep running, and report every pass of the service.")
  var watch = false

  func run() async throws {
    try await show()
    if watch { try StatusWatch(json: common.json).follow(StateFolder(path: common.configuration().stateFolder)) }
  }

  private func show() async throws {
    try await Workspace.with(common.configuration(), .readOnly) { workspace in
      let holds = try await workspace.history.holds()
      let conflicts = try await workspace.history.conflicts()
      let facts = try await workspace.history.facts()
      var states: [RemoteOverview] = []
      for remote in workspace.configuration.remotes {
        let journal = workspace.archive.journal(of: remote.name)
        let state = RemoteOverview(
          name: remote.name, fingerprint: try await SealRecord(in: journal)?.fingerprint,
          status: workspace.state.status(of: remote.name),
          files: facts.agreements[remote.name] ?? 0, hold: holds.first { $0.remote == remote.name },
          conflicts: conflicts.filter { $0.remote == remote.name })
        states.append(state)
      }
      if common.json {
        let configuration = workspace.configuration
        Console.print(
          json: [
            "version": 1, "pass": .integer(facts.lastPass), "store": configuration.store.root.map(JSON.string) ?? .null,
            "state": .string(configuration.stateFolder), "remotes": .array(states.map(\.json)),
          ])
      } else {
        for line in states.flatMap(\.lines) { Console.print(line) }
      }
    }
  }
}

/// What `syncd status` shows of one remote.
private struct RemoteOverview {
  var name: String
  /// The fingerprint of the remote's key; nil if the remote is not encrypted.
  var fingerprint: String?
  var status: RemoteStatus
  var files: Int
  var hold: WaitingHold?
  var conflicts: [WaitingConflict]

  var lines: [String] {
    let success = status.lastSuccess.map { "last in sync \(CivilTime($0))" } ?? "never in sync yet"
    return ["\(name): \(success), \(files.counted("file"))"] + keyLines + failureLines + pendingLines + holdLines
      + conflicts.map { "  conflict in \($0.conflict.path) since \(CivilTime($0.since)): `syncd conflicts`" }
  }

  private var keyLines: [String] { fingerprint.map { ["  encrypted; fingerprint \($0)"] } ?? [] }

  private var failureLines: [String] {
    status.failure.map { ["  since \(CivilTime($0.since)): \($0.message)"] } ?? []
  }

  private var pendingLines: [String] {
    let pending = status.pending
    guard !pending.isEmpty else { return [] }
    let rest = pending.count > 10 ? ["    and \(pending.count - 10) more"] : []
    return ["  \(pending.count.counted("file")) pending since the last pass:"] + pending.prefix(10).map { "    \($0)" }
      + rest
  }

  private var holdLines: [String] {
    guard let hold else { return [] }
    let items = hold.hold.items.sorted()
    return [
      "  held since \(CivilTime(hold.since)), ID \(hold.hold.id): \(hold.hold.reason)",
      "  `syncd allow \(hold.hold.id)` approves the deletion of exactly \(items.count == 1 ? "this file" : "these \(items.count) files"):",
    ] + items.map { "    \($0.path) (from the \($0.side == .local ? "store" : "remote"))" }
  }

  var json: JSON {
    [
      "name": .string(name), "fingerprint": fingerprint.map(JSON.string) ?? .null, "files": .integer(files),
      "last-success": status.lastSuccess.map { .string("\(CivilTime($0))") } ?? .null,
      "trouble": status.failure.map {
        ["code": .string($0.code.rawValue), "message": .string($0.message), "since": .string("\(CivilTime($0.since))")]
      } ?? .null,
      "pending": .array(status.pending.map(JSON.string)),
      "held": hold.map {
        [
          "id": .string($0.hold.id), "reason": .string($0.hold.reason), "since": .string("\(CivilTime($0.since))"),
          "paths": .array($0.hold.items.sorted().map { .string($0.path.description) }),
        ]
      } ?? .null,
      "conflicts": .array(conflicts.map { .string($0.conflict.path.description) }),
    ]
  }
}
