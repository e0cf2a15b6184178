import Logging
import SyncDaemon
import SyncKit

/// `syncd --once`: passes over the remotes until quiet, within a time limit, and a report.
struct OnceRun {
  let workspace: Workspace
  /// Only these remotes; none means all.
  let remotes: [String]
  let output: RunOutput
  /// How long the run may take; nil: until it is done or cancelled.
  let budget: TimeBudget?
  private let exporter = Exporter()

  init(workspace: Workspace, remotes: [String], output: RunOutput, budget: TimeBudget?) {
    self.workspace = workspace
    self.remotes = remotes
    self.output = output
    self.budget = budget
  }

  /// Runs, prints, and tells the worst that happened.
  func run() async throws -> PassResult {
    try await exporter.collect(workspace.configuration.daemon) { try await carryOut() }
  }

  private func carryOut() async throws -> PassResult {
    let bar = ProgressBar(isShown: Console.errorIsTerminal && !output.common.quiet && !output.common.json)
    let reports = try await reports(bar)
    bar.clear()
    let pass = try await workspace.archive.passNumber()
    if workspace.access != .readOnly { try notes.note(reports, pass: pass) }
    if budget?.mayTell() ?? true { output.print(reports, pass: pass) }
    return reports.worst
  }

  private var notes: Notes { workspace.notes(exporter) }

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
    options.actionLimit = notes.actionLimit(atLeast: output.actionLimit)
    var parts: [PassParts] = []
    var failed: [PassReport] = []
    let merger = try await workspace.merger()
    for remote in chosen {
      do {
        let replica = try await workspace.stack.open(remote)
        parts.append(
          PassParts(
            name: remote.name, local: store, remote: replica, archive: workspace.archive, merger: merger,
            device: workspace.device, options: options, progress: bar.show))
      } catch let error as SyncError {
        failed.append(PassReport(remote: remote.name, failure: error))
      }
    }
    // Only a run that changes something and ends by itself has a reason to wait.
    let waits = budget != nil && !output.isDryRun
    return await withLimit { [parts] in await SyncRun(parts, waits: waits).run() } + failed
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
}
