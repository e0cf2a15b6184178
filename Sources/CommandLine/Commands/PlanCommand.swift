import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd plan`: shows what a sync would do, and writes it to a file for `syncd apply`.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what a sync would change, and write it to a file for `syncd apply`.",
    discussion: """
      The plan names each file with the versions of both sides and, for Org files, the headings that each side loses and \
      gains. Nothing is changed. Deletions that need approval are not part of the plan unless --allow-deletions is given.
      """)

  @OptionGroup var common: CommonOptions
  @Option(name: .shortAndLong, help: "Write the plan to this file, which only you can read.", completion: .file())
  var out: String?
  @Flag(help: "Approve the deletions that are held, exactly those of this plan.") var allowDeletions = false
  @Argument(help: ArgumentHelp("The remotes. Default: all.", valueName: "remote"), completion: .remotes)
  var remotes: [String] = []

  func run() async throws {
    let configuration = try common.configuration(ofRemotes: remotes)
    let chosen = try configuration.remotes(named: remotes)
    let plan = try await Workspace.with(configuration, .readOnly) { workspace in
      try await Planning(workspace: workspace, remotes: chosen).plan(allowsDeletions: allowDeletions)
    }
    if let out { try LocalFile.writePrivately(Array((plan.json.description + "\n").utf8), to: out) }
    if common.json { return Console.print(json: plan.json) }
    guard !common.quiet else { return }
    for line in plan.lines { Console.print(line) }
    if let out {
      Console.print("wrote \(out); `syncd apply \(out)` makes exactly these changes")
    }
  }
}

/// `syncd apply`: carries out a plan.
struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Make exactly the changes of a plan that `syncd plan` wrote.",
    discussion: """
      If a file of the plan has changed on either side since, or another file has, nothing is changed and the files are named. \
      What one remote brings for another one is not part of the plan; the next sync sends it.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The file that `syncd plan --out` wrote.", completion: .file()) var plan: String

  func run() async throws {
    let file = try PlanFile(at: plan)
    let configuration = try common.configuration(ofRemotes: file.remotes.map(\.name))
    guard file.store == configuration.store.place else {
      throw SyncError(
        .invalidSettings,
        "the plan \(plan) is for the store \(file.store ?? "of other settings"), not for \(configuration.store.place ?? "this one"); "
          + "nothing was changed")
    }
    let remotes = try configuration.remotes(named: file.remotes.map(\.name))
    var reviews: [String: RemoteReview] = [:]
    for remote in file.remotes { reviews[remote.name] = try remote.review(of: plan) }
    try await refuseOutdated(reviews, remotes, configuration)
    guard !file.isEmpty else {
      if common.json { return Console.print(json: ReportJSON.document(pass: 0, result: .synced, [])) }
      if !common.quiet { Console.print("the plan has no changes") }
      return
    }
    try await RootCommand.runOnce([configuration], common, remotes: remotes.map(\.name), reviews: reviews)
  }

  /// Throws if a sync would now make other changes than those of the plan. Later ones are omitted by the pass itself.
  private func refuseOutdated(
    _ reviews: [String: RemoteReview], _ remotes: [RemoteConfiguration], _ configuration: DaemonConfiguration
  ) async throws {
    let changed = try await Workspace.with(configuration, .readOnly) { workspace in
      let approvals = reviews.mapValues { RemoteReview(approved: $0.approved) }
      let reports = try await Planning(workspace: workspace, remotes: remotes).reports(approvals)
      return reports.flatMap { report in
        (reviews[report.remote]?.changes ?? []).symmetricDifference(report.planned).map(\.path)
      }
    }
    guard !changed.isEmpty else { return }
    let names = Set(changed).sorted().map(\.description)
    let rest = names.count > 10 ? " and \((names.count - 10).counted("other file"))" : ""
    throw SyncError(
      .changedMeanwhile,
      "the plan \(plan) is out of date: \(names.prefix(10).joined(separator: ", "))\(rest) "
        + "\(names.count == 1 ? "is" : "are") no longer as planned; nothing was changed. Make a new plan with `syncd plan`"
    )
  }
}

extension PlanFile {
  /// The plan as text.
  fileprivate var lines: [String] {
    remotes.flatMap { remote -> [String] in
      let count = remote.changes.count { $0.action != Action.Kind.hold.rawValue }
      let held = remote.changes.count - count
      let what = count == 0 ? "nothing to change" : count.counted("change")
      let rest =
        held == 0 ? "" : ", \(held.counted("deletion")) held; `--allow-deletions` adds \(held == 1 ? "it" : "them")"
      return ["\(remote.name): \(what)\(rest)"] + remote.changes.flatMap(\.lines)
    }
  }
}

extension PlanFile.Change {
  fileprivate var lines: [String] {
    let place =
      switch Action.Target(rawValue: to) {
      case .local: "in the store"
      case .remote: "on the remote"
      default: "on both sides"
      }
    let reason = detail.isEmpty ? "" : ": \(detail)"
    return ["  \(action) \(path) (\(place))\(reason)"] + headings(local, "the store") + headings(remote, "the remote")
  }

  private func headings(_ version: PlanFile.Version, _ side: String) -> [String] {
    version.lost.map { "    - \($0) (\(side))" } + version.gained.map { "    + \($0) (\(side))" }
  }
}
