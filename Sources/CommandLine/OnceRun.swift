import Logging
import SyncDaemon
import SyncKit

/// `syncd --once`: runs passes until nothing is left to do, within a time limit, and prints a report.
struct OnceRun: Sendable {
  /// Only these remotes; empty for all.
  let remotes: [String]
  let output: RunOutput
  /// The time budget of the run.
  let budget: TimeBudget
  /// The changes to make, by remote; a remote without a review makes all.
  private let reviews: [String: RemoteReview]
  /// The deliveries of events, which continue after the run.
  private let events = EventWorkers()
  private let exporter = Exporter()

  init(remotes: [String], output: RunOutput, budget: TimeBudget, reviews: [String: RemoteReview] = [:]) {
    self.remotes = remotes
    self.output = output
    self.budget = budget
    self.reviews = reviews
  }

  /// Syncs the stores at the same time, prints the report, and returns the worst result.
  func run(over stores: [DaemonConfiguration]) async throws -> PassResult {
    let runs = try await withThrowingTaskGroup(of: (Int, StoreRun).self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask { (index, try await run(over: store)) }
      }
      var runs: [(Int, StoreRun)] = []
      for try await run in group { runs.append(run) }
      return runs.sorted { $0.0 < $1.0 }.map(\.1)
    }
    if budget.mayTell() { output.print(runs) }
    // Without the lock, so that their commands can use syncd.
    await events.finish()
    // What a stopped run left undone, the next one does.
    if Task.isCancelled { return .timedOut }
    let reports = runs.flatMap(\.reports)
    let hasWork = output.isDryRun && reports.contains { !$0.actions.isEmpty }
    return hasWork ? max(reports.worst, .unsettled) : reports.worst
  }

  /// Syncs one store. If there are several, an error that prevents it is that of its remotes, and does not concern the others.
  private func run(over store: DaemonConfiguration) async throws -> StoreRun {
    do {
      return try await Workspace.with(store, output.isDryRun ? .readOnly : .exclusive) { workspace in
        try await exporter.collect(store.daemon) { try await carryOut(in: workspace) }
      }
    } catch let error as SyncError where output.isSeveral {
      return Self.failed(store, remotes, error)
    }
  }

  /// Returns the run of a store that failed before it began.
  static func failed(_ store: DaemonConfiguration, _ remotes: [String], _ error: SyncError) -> StoreRun {
    let names = store.remotes.map(\.name).filter { remotes.isEmpty || remotes.contains($0) }
    return StoreRun(store: store.storeName, pass: 0, reports: names.map { PassReport(remote: $0, failure: error) })
  }

  private func carryOut(in workspace: Workspace) async throws -> StoreRun {
    if !output.common.quiet {
      for other in await workspace.newForeignSyncs() { Console.error("syncd: \(other.notice)") }
    }
    let recorder = workspace.recorder(exporter)
    let isShown = Console.errorIsTerminal && !output.common.quiet && !output.common.json && !output.isSeveral
    let bar = ProgressBar(isShown: isShown)
    let reports = await workspace.sync(
      chosen(in: workspace), options(of: workspace, recorder), reviews: reviews, progress: bar.show)
    bar.clear()
    let pass = try await workspace.archive.passNumber()
    if workspace.access != .readOnly {
      try recorder.record(reports, pass: pass)
      workspace.eventOutlet(events).record(reports, pass: pass)
    }
    return StoreRun(store: workspace.configuration.storeName, pass: pass, reports: reports)
  }

  private func chosen(in workspace: Workspace) -> [RemoteConfiguration] {
    workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
  }

  private func options(of workspace: Workspace, _ recorder: PassRecorder) -> SyncSession.Options {
    var options = workspace.options
    options.actionLimit = recorder.actionLimit(atLeast: output.actionLimit)
    // A dry run has no reason to wait.
    options.waits = !output.isDryRun
    options.timeLimit = budget.request
    return options
  }
}
