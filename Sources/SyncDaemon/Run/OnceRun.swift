import Logging
import SyncKit

/// `syncd --once`: passes over the remotes until quiet, within a time limit, and a report.
struct OnceRun {
  let workspace: Workspace
  /// Only these remotes; none means all.
  let remotes: [String]
  let common: CommonOptions
  let timeout: Duration

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

  private func reports(_ bar: ProgressBar) async throws -> [PassReport] {
    let store = try await workspace.stack.openStore()
    var options = workspace.passOptions(filter: try await workspace.stack.filter(for: store))
    if !common.json { options.actionLimit = Self.textLimit }
    var parts: [PassParts] = []
    var failed: [PassReport] = []
    for remote in workspace.configuration.remotes where remotes.isEmpty || remotes.contains(remote.name) {
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
    await withTaskGroup(of: [PassReport]?.self) { group in
      group.addTask { await work() }
      group.addTask { [timeout] in
        // Being cancelled is how this wait ends as a rule.
        try? await Task.sleep(for: timeout)
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
