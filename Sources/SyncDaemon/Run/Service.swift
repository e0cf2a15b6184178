import Logging
import SyncKit
import Synchronization
import UnixSignals

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `syncd` without `--once`: runs in the foreground until it is stopped. SIGHUP reloads the settings;
/// SIGUSR1 makes it log how each remote is, SIGUSR2 end after the passes that it is making; SIGTERM and SIGINT end it once
/// what is being written is written, and at once when they come twice.
package struct Service: Sendable {
  /// Reads the settings; throws every mistake in them.
  let load: @Sendable () throws -> DaemonConfiguration
  /// Only these remotes; none means all.
  let remotes: [String]

  package init(load: @escaping @Sendable () throws -> DaemonConfiguration, remotes: [String]) {
    self.load = load
    self.remotes = remotes
  }

  /// What the service is waiting for.
  enum Event: Sendable {
    /// Something may have changed: with a remote, or in the store if there is no name.
    case change(remote: String?, isWhole: Bool = false)
    case asked(ControlRequest)
    case reload
    case tick
    /// The state is to be logged.
    case inquiry
    /// Nothing is to be done any more.
    case retirement
    /// Passes that are being made have had the time to end by themselves.
    case impatience
    /// The service manager wants a sign of life.
    case pulse
    /// The command to which the service has yielded is done.
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
    var configuration = try load()
    var server: ControlServer?
    var metrics = MetricsOutlet()
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
              news: news)
            return try await run.serve(events, reload: load)
          }
        }
      } catch let error as SyncError where error.code == .locked && server != nil {
        // Another process took the lock first.
        try? await Task.sleep(for: .milliseconds(100))
        continue
      }
      switch ending {
      case .stopped: return manager.stopping()
      case .reloaded(let next): configuration = next
      case .yielded(let request, let status):
        request.answer(.consent())
        await wait(for: request, status, events, news)
      }
    }
    manager.stopping()
  }

  /// Waits until the command to which the service has yielded is done. The socket still tells the last status; everything else
  /// waits for the next run.
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
