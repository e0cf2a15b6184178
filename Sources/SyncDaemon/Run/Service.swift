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
///
/// Each store of the settings is served by itself, with its own state, lock and control socket.
package struct Service: Sendable {
  /// Reads the settings of all stores; throws all errors in them.
  let load: @Sendable () throws -> [DaemonConfiguration]
  /// Only these remotes; empty for all.
  let remotes: [String]
  /// True if the log names every file that a pass changes.
  let isVerbose: Bool
  /// Makes what runs beside the service of a store.
  let companion: CompanionMaker
  /// The time in which commands of [[on]] may end when the service stops.
  private static let courtesy = Duration.seconds(5)

  package init(
    load: @escaping @Sendable () throws -> [DaemonConfiguration], remotes: [String], isVerbose: Bool = false,
    companion: @escaping CompanionMaker = { _, _ in nil }
  ) {
    self.load = load
    self.remotes = remotes
    self.isVerbose = isVerbose
    self.companion = companion
  }

  /// What the service has to do for all stores.
  private enum Request: Sendable {
    case reload
    /// Sends an event to each store.
    case pass(StoreService.Event)
    /// The service of a store has ended.
    case ended(String, (any Error)?)
  }

  private typealias Requests = AsyncStream<Request>.Continuation

  /// Runs until it is stopped, or the task is cancelled.
  package func serve() async throws {
    // A signal that comes before they are trapped ends the process, so this is the first step.
    let trapped = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup, .sigusr1, .sigusr2)
    let (requests, queue) = AsyncStream.makeStream(of: Request.self)
    let manager = ServiceManager()
    let work = Task { try await run(requests, queue, manager) }
    let signals = Task { await obey(trapped, work, queue) }
    let pulse = Task { await manager.watch { queue.yield(.pass(.pulse)) } }
    defer {
      signals.cancel()
      pulse.cancel()
    }
    try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      work.cancel()
    }
  }

  private func obey(_ trapped: UnixSignalsSequence, _ work: Task<Void, any Error>, _ queue: Requests) async {
    var isStopping = false
    for await signal in trapped {
      switch signal {
      case .sighup: queue.yield(.reload)
      case .sigusr1: queue.yield(.pass(.inquiry))
      case .sigusr2: queue.yield(.pass(.retirement))
      default:
        if isStopping { _exit(128 + signal.rawValue) }
        isStopping = true
        work.cancel()
      }
    }
  }

  private func run(_ requests: AsyncStream<Request>, _ queue: Requests, _ manager: ServiceManager) async throws {
    defer { BoundedCommand.endAll() }
    let workers = EventWorkers()
    let metrics = MetricsOutlet()
    var stores = RunningStores()
    stores.configurations = try chosen()
    metrics.expect(stores.configurations)
    try await withThrowingDiscardingTaskGroup { group in
      /// Serves the stores that are not served yet. A new name of a store must wait for the end of the former one.
      func begin() {
        guard !stores.isLeavingAny else { return }
        for configuration in stores.new {
          let (events, news) = AsyncStream.makeStream(of: StoreService.Event.self)
          stores.served[configuration.storeName] = news
          let service = StoreService(
            remotes: remotes, isVerbose: isVerbose, manager: manager.store(configuration.storeName), metrics: metrics,
            workers: workers, companion: companion, news: news)
          group.addTask {
            let error = await service.serve(configuration, events)
            queue.yield(.ended(configuration.storeName, error))
          }
        }
      }
      begin()
      for await request in requests {
        switch request {
        case .pass(let event): for store in stores.served.values { store.yield(event) }
        case .ended(let name, let error):
          try stores.end(name, error)
          begin()
          if stores.served.isEmpty { return }
        case .reload:
          guard reload(&stores, manager) else { continue }
          metrics.expect(stores.configurations)
          begin()
        }
      }
    }
    manager.stopping()
    await workers.finish(within: Self.courtesy)
  }

  /// Reads the new settings and passes them on; returns false if they have errors: then the old ones stay.
  private func reload(_ stores: inout RunningStores, _ manager: ServiceManager) -> Bool {
    manager.reloading()
    do { stores.configurations = try chosen() } catch {
      stores.logger?.error("cannot reload the settings, so the old ones stay in effect: \(error)")
      manager.reloaded(false)
      return false
    }
    manager.reloaded(true)
    for (name, news) in stores.served { news.yield(.reload(stores.configurations.first { $0.storeName == name })) }
    return true
  }

  /// The stores of the chosen remotes.
  private func chosen() throws -> [DaemonConfiguration] {
    let all = try load()
    return remotes.isEmpty ? all : all.filter { $0.remotes.contains { remotes.contains($0.name) } }
  }
}

/// The stores that the service serves.
private struct RunningStores {
  /// The settings of the stores.
  var configurations: [DaemonConfiguration] = [] {
    didSet { ended = [] }
  }
  /// The stores whose service has ended since the settings were read.
  private var ended: Set<String> = []
  /// Where the events of each served store go.
  var served: [String: AsyncStream<StoreService.Event>.Continuation] = [:]

  /// The settings of the stores that are not served yet.
  var new: [DaemonConfiguration] {
    configurations.filter { served[$0.storeName] == nil && !ended.contains($0.storeName) }
  }

  /// True if a store is still served that the settings no longer have.
  var isLeavingAny: Bool { served.keys.contains { name in !configurations.contains { $0.storeName == name } } }

  var logger: Logger? { configurations.first.map { Log.logger($0.daemon) } }

  /// Removes a store whose service has ended. The error of the last one is that of the service; of another one, it is logged.
  mutating func end(_ name: String, _ error: (any Error)?) throws {
    served[name] = nil
    ended.insert(name)
    guard let error else { return }
    if served.isEmpty, new.isEmpty { throw error }
    let message = (error as? SyncError)?.explanation ?? "\(error)"
    logger?.error("the store \(name) is not served until the settings are reloaded: \(message)")
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
