import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd log`: lists the numbered passes and their actions, or the versions of a file or a heading.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show what each pass did to each file, or the versions of a file or heading, newest first.",
    discussion: """
      `syncd log notes.org` lists the versions of a file, also under former names. `syncd log 'notes.org::*Title'` lists only those that changed the \
      subtree of a heading; `#custom-id` selects one by its property.
      """)

  @OptionGroup var common: CommonOptions
  @Option(name: [.customShort("l"), .long], help: "Maximum number of passes or versions.") var limit = 100
  @Option(help: "Only since this time, such as yesterday, 2h or \"2026-11-20 08:00\".") var since: PointInTime?
  @Option(help: "Only until this time.") var until: PointInTime?
  @Flag(
    name: .shortAndLong,
    help: "Show each change: entry by entry in Org files, line by line in other text.")
  var patch = false
  @Argument(
    help: ArgumentHelp("Show only the versions of this file, or of a heading: FILE::*TITLE.", valueName: "path"),
    completion: .storeFiles)
  var subject: LogSubject?

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes a number from 1") }
  }

  func run() async throws {
    guard let subject else {
      return try await common.eachStore { configuration in try await Workspace.with(configuration, .readOnly, show) }
    }
    let configuration = try common.configuration(of: [subject.path])
    try await Workspace.with(configuration, .readOnly) { workspace in
      try await show(subject.path.path(in: configuration), subject.heading, in: workspace)
    }
  }

  // MARK: Passes

  /// Prints the passes of a store, or returns their document.
  private func show(_ workspace: Workspace) async throws -> JSON? {
    let passes = try await passes(touching: nil, workspace)
    if common.json { return Self.document(passes) }
    for pass in passes {
      Console.print("pass \(pass.number)  \(LocalTime(pass.started))", in: .yellow)
      for line in try await lines(pass, in: workspace) { Console.print(change: line) }
    }
    if passes.isEmpty, !common.quiet { Console.print(hasPeriod ? "no passes in this period" : "no passes yet") }
    return nil
  }

  /// Passes as JSON.
  static func document(_ passes: [PassRecord]) -> JSON { ["version": 1, "passes": .array(passes.map(json))] }

  private func passes(touching path: SyncPath?, _ workspace: Workspace) async throws(SyncError) -> [PassRecord] {
    try await workspace.history.passes(touching: path, since: since?.time, until: until?.time, atMost: limit)
  }

  // MARK: Versions

  private func show(_ path: SyncPath, _ heading: HeadingName?, in workspace: Workspace) async throws {
    let all = try await FileVersion.all(of: path, in: workspace)
    if all.isEmpty, case .absent = try await workspace.stack.openStore().confirm(file: path) {
      throw SyncError(.notFound, "\(path) is not in the store, and the history has no record of it")
    }
    let versions =
      if let heading { try await self.versions(of: heading, path, all, workspace) } else {
        all.map { LoggedVersion(version: $0) }
      }
    let chosen = versions.filter { isInPeriod($0.version.time) }.prefix(limit)
    if common.json { return try await printJSON(chosen.map(\.version), path, workspace) }
    for item in chosen {
      Console.print(item.line)
      guard patch else { continue }
      for line in try await changes(item, of: path, in: workspace) {
        Console.print(change: line, indentedBy: "      ")
      }
    }
    if chosen.isEmpty, !common.quiet {
      Console.print(hasPeriod ? "no versions in this period" : "no record of \(path)")
    }
  }

  private func versions(
    of heading: HeadingName, _ path: SyncPath, _ all: [FileVersion], _ workspace: Workspace
  ) async throws(SyncError) -> [LoggedVersion] {
    let former = FormerVersions(workspace: workspace)
    let history = try await HeadingHistory(of: heading.place, in: all) { version throws(SyncError) in
      try await former.keptBytes(version.digest, of: path)
    }
    guard !history.changes.isEmpty else {
      throw SyncError(
        .notFound, "no version of \(path) in the history has this heading; `syncd show \(path)` prints the file")
    }
    if history.missing > 0, !common.quiet {
      Console.error("syncd: the history no longer has the content of \(history.missing.counted("version")) of \(path)")
    }
    return history.changes.map { LoggedVersion(version: $0.version, heading: $0) }
  }

  private func changes(
    _ item: LoggedVersion, of path: SyncPath, in workspace: Workspace
  ) async throws(SyncError) -> [String] {
    if let heading = item.heading { return ContentChange(path: path, old: heading.old, new: heading.new).lines }
    guard let action = item.version.action?.action, !item.version.isRename else { return [] }
    return try await FormerVersions(workspace: workspace).change(by: action, in: item.version.pass)
  }

  private func printJSON(_ chosen: [FileVersion], _ path: SyncPath, _ workspace: Workspace) async throws {
    Console.print(
      json: [
        "version": 1, "passes": .array(try await passes(touching: path, workspace).map(Self.json)),
        "versions": .array(try await workspace.history.versions(of: path).map(json)),
        "timeline": .array(chosen.map { $0.json(of: path) }),
      ])
  }

  private func isInPeriod(_ time: Timestamp) -> Bool {
    since.map { $0.time <= time } ?? true && until.map { time <= $0.time } ?? true
  }

  private var hasPeriod: Bool { since != nil || until != nil }

  private func lines(_ pass: PassRecord, in workspace: Workspace) async throws(SyncError) -> [String] {
    var lines: [String] = []
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

  private func json(_ version: DisplacedVersion) -> JSON {
    [
      "digest": .string(version.digest.description), "size": .integer(version.size), "remote": .string(version.remote),
      "side": version.side.map { .string($0.rawValue) } ?? .string("both"), "pass": .integer(version.pass),
      "displaced": .string("\(CivilTime(version.displaced))"),
    ]
  }

  private static func json(_ pass: PassRecord) -> JSON {
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

/// A version to list, and what it changed in a heading.
private struct LoggedVersion: Sendable {
  var version: FileVersion
  /// Nil if the whole file is listed.
  var heading: HeadingHistory.Change?

  var line: String {
    guard let heading else { return version.line }
    return "\(version.line); heading: \(heading.summary)"
  }
}
