import Logging
import SyncKit
import Synchronization
import UnixSignals

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `syncd` without `--once`: runs in the foreground until it is stopped. SIGHUP reloads the settings; SIGUSR1 logs the state of
/// each remote; SIGUSR2 ends the service after its running passes; SIGTERM and SIGINT end it after the current write, and at
/// once if they are sent twice.
package struct Service: Sendable {
  /// Reads the settings; throws all errors in them.
  let load: @Sendable () throws -> DaemonConfiguration
  /// Only these remotes; empty for all.
  let remotes: [String]
  /// The time in which commands of [[on]] may end when the service stops.
  private static let courtesy = Duration.seconds(5)

  package init(load: @escaping @Sendable () throws -> DaemonConfiguration, remotes: [String]) {
    self.load = load
    self.remotes = remotes
  }

  /// An event for the service.
  enum Event: Sendable {
    /// A possible change of the named remote, or of the store if the name is nil.
    case change(remote: String?, isWhole: Bool = false)
    case asked(ControlRequest)
    case reload
    case tick
    /// Log the state.
    case inquiry
    /// End after the running passes.
    case retirement
    /// The running passes have had the time to end by themselves.
    case impatience
    /// Send a keepalive to the service manager.
    case pulse
    /// The command to which the service had yielded is done.
    case returned
  }

  /// Runs until it is stopped.
  package func serve() async throws {
    let (events, news) = AsyncStream.makeStream(of: Event.self)
    let manager = ServiceManager()
    let work = Task { try await run(events, news, manager) }
    let signals = Task { await obey(work, news) }
    let pulse = Task { await manager.watch { news.yield(.pulse) } }
    defer {
      signals.cancel()
      pulse.cancel()
    }
    try await work.value
  }

  private func obey(_ work: Task<Void, any Error>, _ news: AsyncStream<Event>.Continuation) async {
    var isStopping = false
    for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1, .sigusr2) {
      switch signal {
      case .sighup: news.yield(.reload)
      case .sigusr1: news.yield(.inquiry)
      case .sigusr2: news.yield(.retirement)
      default:
        if isStopping { _exit(128 + signal.rawValue) }
        isStopping = true
        work.cancel()
      }
    }
  }

  private func run(
    _ events: AsyncStream<Event>, _ news: AsyncStream<Event>.Continuation, _ manager: ServiceManager
  ) async throws {
    let subscribers = Subscribers()
    let workers = EventWorkers()
    var configuration = try load()
    var server: ControlServer?
    var metrics = MetricsOutlet()
    defer { BoundedCommand.endAll() }
    while !Task.isCancelled {
      let ending: ServiceRun.StopReason
      do {
        ending = try await metrics.exporter.collect(configuration.daemon) {
          try await Workspace.with(configuration, .serving) { workspace in
            metrics.follow(configuration)
            if server?.state.path != workspace.state.path {
              server = ControlServer(workspace.state) { news.yield(.asked($0)) }
            }
            let run = ServiceRun(
              workspace, remotes: remotes, manager: manager, subscribers: subscribers, exporter: metrics.exporter,
              events: workers, news: news)
            return try await run.serve(events, reload: load)
          }
        }
      } catch let error as SyncError where error.code == .locked && server != nil {
        // Another process was faster to acquire the lock.
        try? await Task.sleep(for: .milliseconds(100))
        continue
      }
      switch ending {
      case .stopped:
        manager.stopping()
        return await workers.finish(within: Self.courtesy)
      case .reloaded(let next): configuration = next
      case .yielded(let request, let status):
        request.answer(.consent())
        await wait(for: request, status, events, news)
      }
    }
    manager.stopping()
    await workers.finish(within: Self.courtesy)
  }

  /// Waits until the command to which the service has yielded is done. The socket still reports the last status; all other
  /// requests wait for the next run.
  private func wait(
    for request: ControlRequest, _ status: JSON, _ events: AsyncStream<Event>, _ news: AsyncStream<Event>.Continuation
  ) async {
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

extension UnixSignal {
  fileprivate var rawValue: Int32 {
    switch self {
    case .sigint: SIGINT
    default: SIGTERM
    }
  }
}
