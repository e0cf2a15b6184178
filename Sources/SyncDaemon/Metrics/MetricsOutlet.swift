import Logging
import SyncKit
import Synchronization

/// The metrics of a service and the port that serves them, for all stores. It survives a reload of the settings and the time
/// without the lock, so that counters keep their values.
final class MetricsOutlet: Sendable {
  let exporter = Exporter()
  private let state = Mutex(State())

  fileprivate struct State {
    var remotes: Set<String> = []
    var stores: Set<String> = []
    var server: MetricsServer?
    /// The last error, which is not logged again.
    var said: String?
  }

  /// Sets the stores and remotes whose metrics stay when the settings are followed.
  func expect(_ configurations: [DaemonConfiguration]) {
    state.withLock { state in
      state.remotes = Set(configurations.flatMap { $0.remotes.map(\.name) })
      state.stores = Set(configurations.map(\.storeTable))
    }
  }

  /// Applies the settings. An error is logged and stops nothing.
  func follow(_ configuration: DaemonConfiguration) {
    state.withLock { state in
      exporter.keep(remotes: state.remotes, stores: state.stores)
      state.serve(configuration, exporter)
    }
  }
}

extension MetricsOutlet.State {
  fileprivate mutating func serve(_ configuration: DaemonConfiguration, _ exporter: Exporter) {
    let wanted = configuration.daemon.metricsPort
    if let server, server.address == wanted { return }
    server = nil
    guard let wanted else { return }
    let logger = Log.logger(configuration.daemon)
    do throws(SyncError) {
      let server = try MetricsServer(at: wanted) { [exporter] in exporter.text }
      logger.notice("serving metrics at \(server.url)")
      self.server = server
      said = nil
    } catch {
      if said != error.message { logger.error("\(error.message)") }
      said = error.message
    }
  }
}
