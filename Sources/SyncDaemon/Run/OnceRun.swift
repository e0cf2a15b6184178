import Logging
import SyncKit

/// `syncd --once`: passes over the remotes until quiet, within a time limit, and a report.
struct OnceRun {
  let workspace: Workspace
  /// Only these remotes; none means all.
  let remotes: [String]
  let common: CommonOptions
  /// How long the run may take; nil: until it is done or cancelled.
  let budget: TimeBudget?

  /// How many actions a text report holds; a document holds all of them.
  private static let textLimit = 10_000

  /// Runs, prints, and tells the worst that happened.
  func run() async throws -> PassResult {
    let bar = ProgressBar(isShown: Console.errorIsTerminal && !common.quiet && !common.json)
    let reports = try await reports(bar)
    bar.clear()
    try workspace.note(reports)
    let result = reports.map(\.result).max() ?? .synced
    try await print(reports, result)
    return result
  }

  /// A report for each remote, also where not even the store can be opened.
  private func reports(_ bar: ProgressBar) async throws -> [PassReport] {
    do {
      let store = try await workspace.stack.openStore()
      return try await reports(store, workspace.stack.filter(for: store), bar)
    } catch let error as SyncError {
      return chosen.map { PassReport(remote: $0.name, failure: error) }
    }
  }

  private var chosen: [RemoteConfiguration] {
    workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
  }

  private func reports(
    _ store: any Replica, _ filter: PathFilter, _ bar: ProgressBar
  ) async throws -> [PassReport] {
    var options = workspace.passOptions(filter: filter)
    if !common.json { options.actionLimit = Self.textLimit }
    var parts: [PassParts] = []
    var failed: [PassReport] = []
    for remote in chosen {
      do {
        let replica = try await workspace.stack.open(remote)
        parts.append(
          PassParts(
            name: remote.name, local: store, remote: replica, archive: workspace.archive, merger: OrgMerger(),
            device: workspace.device, options: options, progress: bar.show))
      } catch let error as SyncError {
        failed.append(PassReport(remote: remote.name, failure: error))
      }
    }
    return await withLimit { [parts] in await SyncRun(parts).run() } + failed
  }

  /// Stops the passes when the time is up; what they recorded stays, and the next run goes on from there.
  private func withLimit(_ work: @escaping @Sendable () async -> [PassReport]) async -> [PassReport] {
    guard let budget else { return await work() }
    return await withTaskGroup(of: [PassReport]?.self) { group in
      group.addTask { await work() }
      group.addTask {
        // Being cancelled is how this wait ends as a rule.
        try? await Task.sleep(for: budget.request)
        return nil
      }
      var reports: [PassReport] = []
      for await outcome in group {
        group.cancelAll()
        if let outcome { reports = outcome }
      }
      return reports
    }
  }

  private func print(_ reports: [PassReport], _ result: PassResult) async throws {
    if common.json {
      let pass = try await workspace.archive.passNumber()
      return Console.print(json: ReportJSON.document(pass: pass, result: result, reports))
    }
    for report in reports where !common.quiet || report.result != .synced {
      let text = ReportText(
        report: report, isVerbose: common.verbose > 0, isDryRun: workspace.access == .readOnly)
      for line in text.lines { Console.print(line) }
    }
    if reports.isEmpty { Console.print("there are no remotes in \(workspace.configuration.file)") }
  }
}
