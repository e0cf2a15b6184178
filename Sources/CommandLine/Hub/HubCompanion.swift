#if Hub
  import ArchiveSQLite
  import Hub
  import HubServer
  import Logging
  import SyncDaemon
  import SyncKit

  /// A hub beside the service of a store, in one process: batches are written through the store that the service has open.
  struct HubCompanion: ServiceCompanion {
    private let configuration: DaemonConfiguration
    private let settings: HubConfiguration
    private let options: Options
    private let database: HubDatabase
    private let hub: HubAPI
    private let server: HubServer
    private let pushSender: PushSender
    private let logger: Logger

    /// How the hub is announced.
    struct Options: Sendable {
      /// True if the hub is what the user has asked for: its address is printed, and an error ends the service.
      var isInForeground: Bool
      /// True if nothing is printed.
      var isQuiet: Bool
    }

    /// The time after a change of a file in which further ones are not announced.
    private static let pause = Duration.milliseconds(300)

    /// Makes the hub that the settings have for a store.
    static let inSettings: CompanionMaker = { configuration, shared in
      guard let settings = configuration.hub else { return nil }
      let options = Options(isInForeground: false, isQuiet: true)
      do { return try HubCompanion(configuration, settings, shared, options) } catch {
        report(error, configuration)
        return nil
      }
    }

    init(
      _ configuration: DaemonConfiguration, _ settings: HubConfiguration, _ shared: SharedWorkspace, _ options: Options
    ) throws {
      (self.configuration, self.settings, self.options) = (configuration, settings, options)
      let state = StateFolder(path: configuration.stateFolder)
      // Pages read the archive in this process while the service writes it.
      SQLiteArchive.expectWriting(in: state.path)
      database = try HubDatabase(in: state.path)
      let access = WorkspaceAccess.shared(shared)
      hub = try HubAPI(
        configuration, database, access: access, network: HubNetwork(settings), push: settings.push,
        reports: .of(configuration, access),
        sync: { HubControl.sync(state) }, shell: HubShell.file)
      logger = Log.logger(configuration)
      server = try HubServer(hub, settings, logger: logger)
      pushSender = PushSender(hub, logger: logger)
    }

    var notifiers: [any Notifier] { [PushNotifier(hub)] }

    func prepare(_ workspace: Workspace) async throws {
      do { try await hub.recover(in: workspace) } catch let error as SyncError where error.code != .cancelled {
        // Syncing does not depend on it, and every later edit begins with it.
        logger.error(
          "an edit of the hub that was interrupted cannot be finished now: \(error.explanation.printable). It is tried again with the next edit"
        )
      }
    }

    /// Serves until the task is cancelled.
    func run() async throws {
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await server.run { port in announce(port) } }
          group.addTask { try await announceChanges() }
          group.addTask { await pushSender.run() }
          defer { group.cancelAll() }
          try await group.next()
        }
      } catch {
        guard !Task.isCancelled else { return }
        guard !options.isInForeground else { throw error }
        Self.report(error, configuration)
      }
    }

    /// Tells the clients, whose screens of the history, conflicts, and held deletions are out of date.
    func recordedPass() { hub.announceChange() }

    private static func report(_ error: any Error, _ configuration: DaemonConfiguration) {
      let reason = (error as? SyncError)?.explanation ?? "\(error)"
      Log.logger(configuration).error(
        "the hub does not serve: \(reason). The service continues without it; change [hub] and reload the service")
    }

    /// Prints or logs where the hub is; in the foreground also a pairing link if no device is paired.
    private func announce(_ port: Int) {
      let place = PairingLink.address(settings, port: port)
      do {
        try database.remember(address: place)
        guard options.isInForeground else {
          logger.notice("the hub serves at \(place)/")
          return
        }
        if !options.isQuiet { Console.print("serving at \(place)/") }
        guard try database.devices().isEmpty else { return }
        let code = try database.pairingCode(named: nil, .all)
        Console.print("pair this browser within 5 minutes: \(PairingLink.text(place, code))")
      } catch { Console.error("syncd: \(error.explanation)") }
    }

    /// Tells the hub about changes of files by other programs, until the task is cancelled.
    private func announceChanges() async throws {
      // Only the notifications are kept: an archive that stays open for reading would see how a command replaces its files.
      let changes = try await Workspace.with(configuration, .readOnly) { try await $0.stack.openStore().changes() }
      for await _ in changes {
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
