import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd log`: lists the numbered passes and their actions.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show what each pass did to each file, newest first.")

  @OptionGroup var common: CommonOptions
  @Option(name: [.customShort("l"), .long], help: "Maximum number of passes.") var limit = 100
  @Option(help: "Only passes since this time, such as yesterday, 2h or \"2026-11-20 08:00\".") var since: PointInTime?
  @Option(help: "Only passes until this time.") var until: PointInTime?
  @Flag(
    name: .shortAndLong,
    help: "Show each change: entry by entry in Org files, line by line in other text.")
  var patch = false
  @Argument(help: "Show only this file, with its previous versions.") var path: StorePath?

  func run() async throws {
    let configuration = try common.configuration()
    try await Workspace.with(configuration, .readOnly) { workspace in
      let path = try path?.path(in: configuration)
      let passes = try await workspace.history.passes(
        touching: path, since: since?.time, until: until?.time, atMost: limit)
      let versions = if let path { try await workspace.history.versions(of: path) } else { [DisplacedVersion]() }
      if let path, !hasPeriod, passes.isEmpty, versions.isEmpty {
        if case .absent = try await workspace.stack.openStore().confirm(file: path) {
          throw SyncError(.notFound, "\(path) is not in the store, and the history has no record of it")
        }
      }
      if common.json {
        var document: JSON = ["version": 1, "passes": .array(passes.map(json))]
        if path != nil { document["versions"] = .array(versions.map(json)) }
        Console.print(json: document)
      } else {
        for pass in passes {
          for line in try await lines(pass, in: workspace) { Console.print(line) }
        }
        for line in lines(versions) { Console.print(line) }
        if passes.isEmpty, versions.isEmpty, !common.quiet {
          Console.print(nothing(on: path))
        }
      }
    }
  }

  private var hasPeriod: Bool { since != nil || until != nil }

  private func nothing(on path: SyncPath?) -> String {
    if hasPeriod { return "no passes in this period" }
    return path.map { "no record of \($0)" } ?? "no passes yet"
  }

  private func lines(_ pass: PassRecord, in workspace: Workspace) async throws(SyncError) -> [String] {
    var lines = ["pass \(pass.number)  \(LocalTime(pass.started))"]
    var shown: Set<SyncPath> = []
    for item in pass.actions {
      lines.append(line(item))
      // A change that went to several remotes is shown once.
      guard patch, item.action.result == .done, shown.insert(item.action.path).inserted else { continue }
      lines += try await FormerVersions(workspace: workspace).change(by: item.action, in: pass.number)
        .map { "      \($0)" }
    }
    return lines
  }

  private func line(_ item: RemoteAction) -> String {
    let action = item.action
    let result = action.result == .done ? "" : " \(action.result.rawValue)"
    return "  \(item.remote)  \(action.kind.rawValue) to \(action.to.rawValue)\(result)  \(action.path)"
      + (action.detail.isEmpty ? "" : ": \(action.detail)")
  }

  /// Lists the versions that `syncd show PATH --digest` can print.
  private func lines(_ versions: [DisplacedVersion]) -> [String] {
    versions.map { version in
      let place = version.side.map { $0 == .local ? "the store" : "the remote \(version.remote)" } ?? "both sides"
      return "version \(version.digest.short)  from \(place), replaced in pass \(version.pass), \(size(version.size))"
    }
  }

  private func json(_ version: DisplacedVersion) -> JSON {
    [
      "digest": .string(version.digest.description), "size": .integer(version.size), "remote": .string(version.remote),
      "side": version.side.map { .string($0.rawValue) } ?? .string("both"), "pass": .integer(version.pass),
      "displaced": .string("\(CivilTime(version.displaced))"),
    ]
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
