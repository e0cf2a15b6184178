import ArgumentParser
import Hub
import QRCodes
import SyncDaemon
import SyncKit

/// `syncd pair`: prints a pairing link or a token.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Print a link that pairs a browser or phone with the hub, once and within 5 minutes.",
    discussion: """
      Anyone who has the link can use it, so open it only on the device that you want to pair. A scope limits what the device may do: \
      all, read, or capture (only add entries to the inbox).

      EXAMPLES
        syncd pair --name "Ann's phone"
        syncd pair --token --scope capture --name shortcut    a token for a program
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "Name of the device. Default: the one that it sends.") var name: String?
  @Option(help: "What the device may do: all, read or capture.") var scope = Scope.all
  @Flag(help: "Print a token for a program, to be sent as `Authorization: Bearer TOKEN`.") var token = false

  func validate() throws {
    guard !token || name != nil else { throw ValidationError("--token requires --name") }
    guard let name else { return }
    guard !name.isEmpty, name.utf8.count <= 100, !name.contains(where: \.isNewline) else {
      throw ValidationError("--name expects one line of up to 100 bytes")
    }
  }

  func run() async throws {
    let configuration = try common.configuration()
    let state = StateFolder(path: configuration.stateFolder)
    try state.create()
    let database = try HubDatabase(in: state.path)
    if token {
      let secret = try database.add(name ?? "", scope, from: "").token
      return common.json
        ? Console.print(json: ["version": 1, "token": .string(secret)]) : Console.print(secret)
    }
    let hub = configuration.hub ?? HubConfiguration(storeName: configuration.storeName)
    let address = try database.address() ?? PairingLink.address(hub, port: Int(hub.settings.listen.port))
    let link = PairingLink.text(address, try database.pairingCode(named: name, scope))
    if common.json {
      return Console.print(
        json: ["version": 1, "link": .string(link), "seconds": .integer(Int(HubDatabase.codeLifetime))])
    }
    Console.print(link)
    if try database.address() == nil {
      Console.error(
        "The hub was never started here. Start it with `syncd serve`, or add the table [hub] to the settings of the service"
      )
    }
    guard Console.outputIsTerminal, let code = QRCode(Array(link.utf8)) else { return }
    for line in code.lines(isColored: true) { Console.print(line) }
  }
}

extension Scope: ExpressibleByArgument {}

extension PairingLink {
  /// The address of a hub, without a slash at its end: by its first name, if other machines reach it.
  static func address(_ hub: HubConfiguration, port: Int) -> String {
    let listen = hub.settings.listen
    let name = hub.settings.hosts.first.flatMap { listen.isLoopback ? nil : $0 }
    guard hub.settings.behind.isEmpty else { return "https://\(name ?? listen.urlHost)" }
    let host = name ?? (listen.isWildcard ? "localhost" : listen.urlHost)
    return "\(hub.tls.certificate == nil ? "http" : "https")://\(host):\(port)"
  }
}
