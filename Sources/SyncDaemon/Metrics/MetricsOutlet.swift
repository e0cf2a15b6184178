import Logging
import SyncKit

/// Where the figures of a service are to be had. It outlives a reading of the settings and a time without the lock, so that
/// what is counted goes on being counted.
struct MetricsOutlet {
  let exporter = Exporter()
  private var server: MetricsServer?
  /// The last trouble, which is not told again.
  private var said: String?

  /// Does as the settings say from now on. What cannot be done is told in the log and stops nothing.
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
