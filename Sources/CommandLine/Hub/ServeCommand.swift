import ArgumentParser
import Hub
import HubServer
import SyncDaemon
import SyncKit

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
  @Option(help: "Address to listen at: a port, or a loopback address with a port. Default: 127.0.0.1:8484.")
  var listen = "127.0.0.1:8484"
  @Option(help: "Name by which a proxy on this machine is reached; repeatable.")
  var host: [String] = []

  func run() async throws {
    #if Hub
      guard common.timeout == nil else { throw ValidationError("--timeout requires --once or a command") }
      let configuration = try common.configuration()
      let address = try HubAddress.parse(listen)
      let run = HubRun(configuration, at: address, hosts: host, isQuiet: common.quiet)
      let service = Service(
        load: { [common] in try common.stores() }, remotes: [], isVerbose: common.verbose > 0)
      try await run.serve(beside: service)
    #else
      throw SyncError(
        .invalidSettings, "this syncd was built without `serve`; build it with the trait Hub, which is on by default")
    #endif
  }
}

/// The address of a hub.
enum HubAddress {
  /// Reads an address; other machines cannot be let in, because the hub does not encrypt connections.
  static func parse(_ text: String) throws(SyncError) -> LoopbackAddress {
    let local = text.hasPrefix("localhost:") ? "127.0.0.1:" + text.dropFirst(10) : text
    guard let address = LoopbackAddress(text: local) else {
      throw SyncError(
        .invalidSettings,
        """
        cannot listen at \(text): only loopback addresses such as 127.0.0.1:8484 are allowed, because the hub does not encrypt \
        connections. For other machines, run a proxy with TLS on this one, and name its host with --host
        """)
    }
    return address
  }
}
