import SyncKit

/// The service of one store: runs with the same settings one after the other, and between them waits for commands that need the
/// lock.
struct StoreService: Sendable {
  /// Only these remotes; empty for all.
  let remotes: [String]
  /// True if the log names every file that a pass changes.
  let isVerbose: Bool
  let manager: ServiceManager.Store
  let metrics: MetricsOutlet
  let workers: EventWorkers
  /// Makes what runs beside the service.
  let companion: CompanionMaker
  let news: AsyncStream<Event>.Continuation

  /// An event for the service of a store.
  enum Event: Sendable {
    /// A possible change of the named remote, or of the store if the name is nil.
    case change(remote: String?, isWhole: Bool = false)
    case asked(ControlRequest)
    /// New settings; nil if they no longer have the store.
    case reload(DaemonConfiguration?)
    case tick
    /// Log the state.
    case inquiry
    /// End after the running passes.
    case retirement
    /// The running passes have had the time to end by themselves.
    case impatience
    /// Prove that the loop is alive.
    case pulse
    /// The command to which the service had yielded is done.
    case returned
  }

  /// Serves until the task is cancelled or the store is to be served no longer. Returns the error that ended it.
  func serve(_ configuration: DaemonConfiguration, _ events: AsyncStream<Event>) async -> (any Error)? {
    defer { manager.end() }
    let companion = CompanionRun(companion) { [news] in news.yield(.retirement) }
    var failure: (any Error)?
    do { try await run(configuration, events, companion) } catch { failure = error }
    do { try await companion.end() } catch { failure = error }
    return failure
  }

  private func run(
    _ configuration: DaemonConfiguration, _ events: AsyncStream<Event>, _ companion: CompanionRun
  ) async throws {
    let subscribers = Subscribers()
    var configuration = configuration
    var server: ControlServer?
    while !Task.isCancelled {
      let ending: ServiceRun.StopReason
      do {
        ending = try await metrics.exporter.collect(configuration.daemon) {
          try await Workspace.with(configuration, .serving) { workspace in
            metrics.follow(configuration)
            if server?.state.path != workspace.state.path {
              server = ControlServer(workspace.state) { [news] in news.yield(.asked($0)) }
            }
            let run = ServiceRun(
              workspace, remotes: remotes, isVerbose: isVerbose, manager: manager, subscribers: subscribers,
              exporter: metrics.exporter,
              events: workers, news: news, recorded: { await companion.recordedPass() })
            return try await companion.accompany(workspace, store: { () throws(SyncError) in try await run.store() }) {
              notifiers in
              try await AlertService.during(workspace, notifiers) { try await run.serve(events) }
            }
          }
        }
      } catch let error as SyncError where error.code == .locked && server != nil {
        // Another process was faster to acquire the lock.
        try? await Task.sleep(for: .milliseconds(100))
        continue
      }
      switch ending {
      case .stopped: return
      case .reloaded(let next):
        configuration = next
        try await companion.end()
      case .yielded(let request, let status):
        request.answer(.consent())
        await wait(for: request, status, events)
      }
    }
  }

  /// Waits until the command to which the service has yielded is done. The socket still reports the last status; all other
  /// requests wait for the next run.
  private func wait(for request: ControlRequest, _ status: JSON, _ events: AsyncStream<Event>) async {
    let end = Task {
      for await _ in request.isOver {}
      news.yield(.returned)
    }
    defer { end.cancel() }
    var later: [Event] = []
    events: for await event in events {
      switch event {
      case .returned: break events
      case .asked(let request) where request.command == .status: request.answer(.consent(status))
      // The next run begins with a pass over each remote.
      case .change, .tick, .impatience, .pulse: break
      case .asked, .reload, .inquiry, .retirement: later.append(event)
      }
    }
    for event in later { news.yield(event) }
  }
}
