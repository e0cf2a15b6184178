import Logging
import SyncKit

/// The metrics of a service and the port that serves them. It survives a reload of the settings and the time without the lock,
/// so that counters keep their values.
struct MetricsOutlet {
  let exporter = Exporter()
  private var server: MetricsServer?
  /// The last error, which is not logged again.
  private var said: String?

  /// Applies the settings. An error is logged and stops nothing.
  mutating func follow(_ configuration: DaemonConfiguration) {
    exporter.keep(remotes: Set(configuration.remotes.map(\.name)))
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
