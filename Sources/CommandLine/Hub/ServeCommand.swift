import ArgumentParser
import Hub
import HubServer
import SyncDaemon
import SyncKit
import Synchronization

/// `syncd serve`: the service with the hub.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the store to browsers on this machine, and sync as the service does.",
    discussion: """
      Runs in the foreground until it is stopped. If no device is paired yet, it prints a link that pairs one. A device sends its \
      edits as patches; each batch of them is a pass in `syncd log`, and `syncd undo` takes it back.

      EXAMPLES
        syncd serve
        syncd serve --listen 127.0.0.1:9000
        syncd pair                            a link for another device
      """)

  @OptionGroup var common: CommonOptions
  @Option(
    help: "Address to listen at: a port, or an IP address with a port. Default: `listen` in [hub], else 127.0.0.1:8484."
  )
  var listen: String?
  @Option(help: "Name by which devices reach the hub, in addition to `hosts` in [hub]. Repeatable.")
  var host: [String] = []

  func run() async throws {
    #if Hub
      guard common.timeout == nil else { throw ValidationError("--timeout requires --once or a command") }
      let storeName = try common.configuration().storeName
      let options = HubCompanion.Options(isInForeground: true, isQuiet: common.quiet)
      // A refusal after the store was locked is about the port.
      let isLocked = Mutex(false)
      let service = Service(
        load: { [self] in
          let stores = try common.stores()
          for store in stores where store.storeName == storeName { _ = try hub(of: store) }
          return stores
        },
        remotes: [], isVerbose: common.verbose > 0,
        companion: { configuration, shared in
          guard configuration.storeName == storeName else { return nil }
          isLocked.withLock { $0 = true }
          return try HubCompanion(configuration, hub(of: configuration), shared, options)
        })
      do { try await service.serve() } catch let error as SyncError where error.code == .locked {
        throw isLocked.withLock(\.self) ? error : Self.isServed(error)
      }
    #else
      throw SyncError(
        .invalidSettings, "this syncd was built without `serve`; build it with the trait Hub, which is on by default")
    #endif
  }

  /// The hub of a store, with the options of the command instead of the settings.
  private func hub(of configuration: DaemonConfiguration) throws(SyncError) -> HubConfiguration {
    var hub = configuration.hub ?? HubConfiguration(storeName: configuration.storeName)
    hub.settings.hosts += host
    if let listen {
      guard let address = ListenAddress(text: listen) else {
        throw SyncError(
          .invalidSettings,
          "cannot listen at \(listen.printable): write a port such as 8484, or an IP address with a port such as 127.0.0.1:8484"
        )
      }
      hub.settings.listen = address
    }
    if let refusal = hub.refusal { throw SyncError(.invalidSettings, refusal) }
    return hub
  }

  /// The error if another process serves the store.
  private static func isServed(_ error: SyncError) -> SyncError {
    SyncError(
      .locked,
      """
      \(error.message). If it is the service, let it serve the hub: add the table [hub] to the settings and reload the service \
      (`systemctl --user reload syncd`). Otherwise stop it first
      """)
  }
}
