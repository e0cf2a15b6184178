import Logging
import SyncDaemon
import SyncKit

/// `syncd --once`: passes over the remotes until quiet, within a time limit, and a report.
struct OnceRun {
  let workspace: Workspace
  /// Only these remotes; none means all.
  let remotes: [String]
  let output: RunOutput
  /// How long the run may take.
  let budget: TimeBudget
  private let exporter = Exporter()

  init(workspace: Workspace, remotes: [String], output: RunOutput, budget: TimeBudget) {
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
    let reports = await workspace.sync(chosen, options, progress: bar.show)
    bar.clear()
    let pass = try await workspace.archive.passNumber()
    if workspace.access != .readOnly { try recorder.record(reports, pass: pass) }
    if budget.mayTell() { output.print(reports, pass: pass) }
    return reports.worst
  }

  private var recorder: PassRecorder { workspace.recorder(exporter) }

  private var chosen: [RemoteConfiguration] {
    workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
  }

  private var options: SyncSession.Options {
    var options = workspace.options
    options.actionLimit = recorder.actionLimit(atLeast: output.actionLimit)
    // A run that changes nothing has no reason to wait.
    options.waits = !output.isDryRun
    options.timeLimit = budget.request
    return options
  }
}
