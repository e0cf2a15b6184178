import Logging
import SyncDaemon
import SyncKit

/// `syncd --once`: runs passes until nothing is left to do, within a time limit, and prints a report.
struct OnceRun {
  let workspace: Workspace
  /// Only these remotes; empty for all.
  let remotes: [String]
  let output: RunOutput
  /// The time budget of the run.
  let budget: TimeBudget
  /// The deliveries of events, which continue after the run.
  let events: EventWorkers
  /// The changes to make, by remote; a remote without a review makes all.
  private let reviews: [String: RemoteReview]
  private let exporter = Exporter()

  init(
    workspace: Workspace, remotes: [String], output: RunOutput, budget: TimeBudget, events: EventWorkers,
    reviews: [String: RemoteReview] = [:]
  ) {
    self.workspace = workspace
    self.remotes = remotes
    self.output = output
    self.budget = budget
    self.events = events
    self.reviews = reviews
  }

  /// Runs, prints the report, and returns the worst result.
  func run() async throws -> PassResult {
    try await exporter.collect(workspace.configuration.daemon) { try await carryOut() }
  }

  private func carryOut() async throws -> PassResult {
    if !output.common.quiet {
      for other in await workspace.newForeignSyncs() { Console.error("syncd: \(other.notice)") }
    }
    let bar = ProgressBar(isShown: Console.errorIsTerminal && !output.common.quiet && !output.common.json)
    let reports = await workspace.sync(chosen, options, reviews: reviews, progress: bar.show)
    bar.clear()
    let pass = try await workspace.archive.passNumber()
    if workspace.access != .readOnly {
      try recorder.record(reports, pass: pass)
      workspace.eventOutlet(events).record(reports, pass: pass)
    }
    if budget.mayTell() { output.print(reports, pass: pass) }
    // What a stopped run left undone, the next one does.
    if Task.isCancelled { return .timedOut }
    let hasWork = output.isDryRun && reports.contains { !$0.actions.isEmpty }
    return hasWork ? max(reports.worst, .unsettled) : reports.worst
  }

  private var recorder: PassRecorder { workspace.recorder(exporter) }

  private var chosen: [RemoteConfiguration] {
    workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
  }

  private var options: SyncSession.Options {
    var options = workspace.options
    options.actionLimit = recorder.actionLimit(atLeast: output.actionLimit)
    // A dry run has no reason to wait.
    options.waits = !output.isDryRun
    options.timeLimit = budget.request
    return options
  }
}
