import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd conflicts`: lists open conflicts.
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "List open conflicts.")

  @OptionGroup var common: CommonOptions
  @Flag(
    name: .shortAndLong,
    help: "Show the changes of each side: entry by entry in Org files, line by line in other text.")
  var patch = false
  @Flag(help: "List the conflict copies of other programs, such as Syncthing and Dropbox.")
  var foreign = false

  func validate() throws {
    if foreign, patch { throw ValidationError("choose --patch or --foreign, not both") }
  }

  func run() async throws {
    try await common.eachStore { configuration in try await Workspace.with(configuration, .readOnly, show) }
  }

  /// Prints the conflicts of a store, or returns their document.
  private func show(_ workspace: Workspace) async throws -> JSON? {
    if foreign { return show(try await CopyAdoption(in: workspace).copies()) }
    let (conflicts, marked) = try await Self.conflicts(in: workspace)
    if common.json { return Self.json(conflicts, marked) }
    for item in conflicts {
      let place = item.conflict.copy.map { "the other version is in \($0)" } ?? "both versions are in the file"
      Console.print("\(item.conflict.path) (\(item.remote), since \(LocalTime(item.since))): \(place)")
      guard patch else { continue }
      for line in try await FormerVersions(workspace: workspace).changes(in: item) {
        Console.print(change: line, indentedBy: "  ")
      }
    }
    for path in marked { Console.print("\(path) (found by another device): both versions are in the file") }
    if conflicts.isEmpty, marked.isEmpty, !common.quiet { Console.print("no open conflicts") }
    return nil
  }

  /// The open conflicts of a store as JSON.
  static func document(_ workspace: Workspace) async throws -> JSON {
    let (conflicts, marked) = try await conflicts(in: workspace)
    return json(conflicts, marked)
  }

  /// The conflicts that this device found, and other files with marks.
  private static func conflicts(in workspace: Workspace) async throws -> ([WaitingConflict], marked: [SyncPath]) {
    let conflicts = try await workspace.history.conflicts()
    let known = Set(conflicts.map(\.conflict.path))
    return (conflicts, try await MarkedFiles.all(in: workspace).filter { !known.contains($0) })
  }

  private static func json(_ conflicts: [WaitingConflict], _ marked: [SyncPath]) -> JSON {
    [
      "version": 1, "conflicts": .array(conflicts.map(json)),
      "marked": .array(marked.map { .string($0.description) }),
    ]
  }

  private func show(_ copies: [ForeignCopy]) -> JSON? {
    if common.json { return ["version": 1, "copies": .array(copies.map(json))] }
    for copy in copies {
      Console.print(
        "\(copy.path): \(copy.isUncertain ? "perhaps " : "")a version of \(copy.file), from \(copy.program)")
    }
    if copies.isEmpty, !common.quiet { Console.print("no conflict copies of other programs") }
    return nil
  }

  private func json(_ copy: ForeignCopy) -> JSON {
    [
      "path": .string(copy.path.description), "file": .string(copy.file.description), "program": .string(copy.program),
      "uncertain": .boolean(copy.isUncertain),
    ]
  }

  private static func json(_ item: WaitingConflict) -> JSON {
    func text(_ digest: Digest?) -> JSON { digest.map { .string($0.description) } ?? .null }
    return [
      "path": .string(item.conflict.path.description), "remote": .string(item.remote), "pass": .integer(item.pass),
      "since": .string("\(CivilTime(item.since))"),
      "copy": item.conflict.copy.map { .string($0.description) } ?? .null, "base": text(item.conflict.base),
      "local": text(item.conflict.local), "remote-version": text(item.conflict.remote),
    ]
  }
}

/// `syncd resolve`: closes conflicts.
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Resolve conflicts with one side's version of what is in dispute, or with a merged file.",
    discussion: "Without a choice, a terminal is asked at each place in dispute: ours, theirs, both, or edit.")

  @OptionGroup var common: CommonOptions
  @Flag(help: "Take the store's version of what is in dispute.") var ours = false
  @Flag(help: "Take the remote's version of what is in dispute.") var theirs = false
  @Option(help: "Use the content of this file.", completion: .file()) var merged: String?
  @Option(
    help:
      "Resolve in a merge tool: its name in git, such as vimdiff, meld or kdiff3; git mergetool --tool-help lists them.",
    completion: .mergeTools)
  var tool: String?
  @Flag(help: "Resolve all open conflicts.") var all = false
  @Argument(help: ArgumentHelp("Files with conflicts, or patterns in git's syntax.", valueName: "path"))
  var paths: [StorePath] = []

  func validate() throws {
    let choices = [ours, theirs, merged != nil, tool != nil].count { $0 }
    guard choices == 1 || choices == 0 && Console.canAsk && !common.json else {
      throw ValidationError(
        "choose one of --ours, --theirs, --merged FILE and --tool NAME, or none on a terminal to be asked")
    }
    guard all != !paths.isEmpty else { throw ValidationError("name files with conflicts, or use --all") }
    guard merged == nil || paths.count == 1 else { throw ValidationError("--merged resolves one file") }
  }

  func run() async throws {
    let configuration = try common.configuration(of: paths)
    let (resolved, open, errors) =
      if let tool {
        try await resolve(with: MergeTool(name: tool), configuration)
      } else if ours || theirs || merged != nil {
        try await resolve(configuration)
      } else {
        try await resolve(with: PlacePrompt(), configuration)
      }
    // One error of one file is the command's own.
    if resolved.isEmpty, let error = errors.first, errors.count == 1 { throw error }
    for error in errors { Console.error("syncd: \(error.explanation)") }
    show(resolved, open)
    if !errors.isEmpty { throw ExitCode(PassResult.failed.exitStatus) }
  }

  private func decision() throws(SyncError) -> ConflictResolution.Decision {
    if let merged { return .content(Content(try LocalFile.read(merged))) }
    return .side(ours ? .local : .remote)
  }

  /// The files whose conflicts were resolved, the conflicts of the chosen files that are still open, and the errors.
  private typealias Outcome = (resolved: [SyncPath], open: [SyncPath], errors: [SyncError])

  private func resolve(_ configuration: DaemonConfiguration) async throws -> Outcome {
    try await Workspace.with(configuration, .exclusive) { workspace in
      let chosen = try chosen(from: try await workspace.history.conflicts(), configuration)
      var (resolved, errors): ([SyncPath], [SyncError]) = ([], [])
      for item in chosen {
        do {
          try await ConflictResolution(item: item, workspace: workspace).carryOut(decision())
          resolved.append(item.conflict.path)
        } catch let error as SyncError { errors.append(error) }
      }
      return (resolved, try await Self.open(of: chosen, in: workspace), errors)
    }
  }

  /// Resolves the conflicts in a merge tool or by questions, one after the other.
  private func resolve(with tool: any VersionMerging, _ configuration: DaemonConfiguration) async throws -> Outcome {
    var outcome: Outcome = ([], [], [])
    let resolutions = try await Workspace.with(configuration, .exclusive) { workspace in
      var resolutions: [ToolResolution] = []
      for item in try chosen(from: try await workspace.history.conflicts(), configuration) {
        do { resolutions.append(try await ToolResolution(item, in: workspace)) } catch let error as SyncError {
          outcome.errors.append(error)
        }
      }
      return resolutions
    }
    for resolution in resolutions {
      do {
        let merged = try resolution.merged(by: tool, in: configuration.stateFolder)
        outcome.open = try await Workspace.with(configuration, .exclusive) { workspace in
          try await resolution.finish(merged, in: workspace)
          return try await Self.open(of: resolutions.map(\.item), in: workspace)
        }
        outcome.resolved.append(resolution.item.conflict.path)
      } catch let error as SyncError { outcome.errors.append(error) }
    }
    outcome.open = outcome.open.filter(outcome.resolved.contains)
    return outcome
  }

  /// The conflicts of the chosen files that are still open.
  private static func open(of chosen: [WaitingConflict], in workspace: Workspace) async throws -> [SyncPath] {
    let paths = Set(chosen.map(\.conflict.path))
    return try await workspace.history.conflicts().map(\.conflict.path).filter(paths.contains)
  }

  /// The conflicts to resolve: of each file that was named the one that was opened last, of patterns and with `--all` every one.
  private func chosen(
    from open: [WaitingConflict], _ configuration: DaemonConfiguration
  ) throws -> [WaitingConflict] {
    if all { return open }
    var chosen: [WaitingConflict] = []
    for name in paths {
      if let path = try? name.path(in: configuration), let last = open.last(where: { $0.conflict.path == path }) {
        chosen.append(last)
        continue
      }
      let matching = open.filter { item in name.choice.matches(item.conflict.path) && !chosen.contains(item) }
      guard !matching.isEmpty else {
        let path = try name.path(in: configuration)
        throw SyncError(
          .notFound,
          "\(path) has no conflict that this device found; `syncd conflicts` lists them. Resolve one of another device there, or "
            + "remove the marks in the file")
      }
      chosen += matching
    }
    return chosen
  }

  private func show(_ resolved: [SyncPath], _ open: [SyncPath]) {
    if common.json {
      return Console.print(
        json: [
          "version": 1, "path": .string(resolved.first?.description ?? ""), "open": .integer(open.count),
          "paths": .array(resolved.map { .string($0.description) }),
        ])
    }
    guard !common.quiet else { return }
    for path in resolved { Console.print("resolved \(path); the next pass sends it to the remotes") }
    if resolved.isEmpty { Console.print("no open conflicts") }
    for path in Set(open).sorted() {
      let count = open.count { $0 == path }
      Console.print(
        "\(path) has \(count.counted("more open conflict", "more open conflicts")); `syncd conflicts` lists them")
    }
  }
}
