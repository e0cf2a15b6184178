#if Hub
  import ArchiveSQLite
  import Hub
  import HubServer
  import Logging
  import SyncDaemon
  import SyncKit

  /// A hub beside the service, in one process.
  struct HubRun: Sendable {
    private let configuration: DaemonConfiguration
    private let address: LoopbackAddress
    private let hosts: [String]
    private let isQuiet: Bool

    /// The time after a change of a file in which further ones are not announced.
    private static let pause = Duration.milliseconds(300)
    /// The interval in which the hub checks at its start whether the service serves.
    private static let patience = Duration.milliseconds(20)

    init(_ configuration: DaemonConfiguration, at address: LoopbackAddress, hosts: [String], isQuiet: Bool) {
      (self.configuration, self.address, self.hosts, self.isQuiet) = (configuration, address, hosts, isQuiet)
    }

    /// Serves until the service ends; throws if the hub cannot listen.
    func serve(beside service: Service) async throws {
      let state = StateFolder(path: configuration.stateFolder)
      try state.create()
      // Pages read the archive in this process, before and while the service writes it.
      SQLiteArchive.expectWriting(in: state.path)
      let database = try HubDatabase(in: state.path)
      let hub = try HubAPI(
        configuration, database, hosts: hosts, reports: .of(configuration), sync: { HubControl.sync(state) },
        shell: HubShell.file)
      let logger = Log.logger(configuration)
      let server = HubServer(hub, host: address.host, port: Int(address.port), logger: logger)
      // Before the service has the lock, which it would not share at its start.
      try await hub.recover()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await service.serve() }
        group.addTask {
          // A batch must not take the lock before the service has it, and can yield it.
          while !ControlSocket.isServed(state) { try await Task.sleep(for: Self.patience) }
          try await server.run { port in await announce(port, database) }
        }
        group.addTask { try await announceChanges(hub) }
        defer { group.cancelAll() }
        try await group.next()
      }
      try await hub.finish()
    }

    /// Prints where the hub is, and a pairing link if no device is paired.
    private func announce(_ port: Int, _ database: HubDatabase) async {
      let place = PairingLink.address(address, port: port)
      if !isQuiet { Console.print("serving at \(place)/") }
      do {
        try database.remember(address: place)
        guard try database.devices().isEmpty else { return }
        let code = try database.pairingCode(named: nil, .all)
        Console.print("pair this browser within 5 minutes: \(place)/pair#\(code)")
      } catch { Console.error("syncd: \(error.explanation)") }
    }

    /// Tells the hub about changes of files by other programs, until the task is cancelled.
    private func announceChanges(_ hub: HubAPI) async throws {
      let store = try await Workspace.with(configuration, .readOnly) { try await $0.stack.openStore() }
      for await _ in store.changes() {
        hub.announceChange()
        try await Task.sleep(for: Self.pause)
      }
      // A store that cannot tell of changes is read again when a page is opened.
      while true { try await Task.sleep(for: .seconds(3600)) }
    }
  }

  /// Requests of the hub to the service of its process.
  enum HubControl {
    /// Begins a pass now, if a service runs.
    static func sync(_ state: StateFolder) {
      let request: JSON = ["do": "sync"]
      _ = ControlSocket.connected(to: state)?.write(line: request.line)
    }
  }
#endif
