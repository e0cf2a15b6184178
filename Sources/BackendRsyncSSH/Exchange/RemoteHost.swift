internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// The remote host, and exchanges with its rsync: one at a time, each with its own command.
///
/// The actor has a dedicated thread, because exchanges block it.
actor RemoteHost {
  nonisolated let folder: RemoteFolder
  nonisolated let limits: RsyncLimits
  private let client: SSHClient
  private let runtime: Runtime
  private let locks = LockQueue()
  /// True if the sftp server was proved to support the exclusive mode; true if the folder was proved to support links.
  var (hasSFTP, hasLinks) = (false, false)
  /// True if the host was found to be unable to give files second names.
  var lacksLinks = false
  /// The sizes of large files, as last listed or sent.
  private var sizes: [SyncPath: Int64] = [:]
  private nonisolated let worker = Worker("rsync")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

  /// `rrsync` allows one command at a time per folder; this is the number of attempts.
  private static let attempts = 40
  private static let pause = Duration.milliseconds(250)

  init(_ folder: RemoteFolder, by client: SSHClient, _ limits: RsyncLimits, _ runtime: Runtime) {
    self.folder = folder
    self.client = client
    self.limits = limits
    self.runtime = runtime
  }

  /// The route to the host, for messages.
  var route: String { client.route }

  // MARK: Timeouts

  /// The time for hashing smaller files is negligible.
  private static let large: Int64 = 1 << 20
  /// The number of bytes that the slowest host hashes per millisecond.
  private static let hashed: Int64 = 10_000

  func record(_ files: some Sequence<ListedFile>) {
    for file in files where file.kind == .file && file.size >= Self.large {
      if let path = SyncPath(bytes: file.name) { record(file.size, of: path) }
    }
  }

  func record(_ size: Int64, of path: SyncPath) {
    if size >= Self.large { sizes[path] = max(size, sizes[path] ?? 0) }
  }

  /// The number of bytes that the remote host reads before it reports on these files: each file, and its previous version.
  func hashed(_ paths: [SyncPath]) -> Int64 { paths.reduce(0) { $0 + 2 * (sizes[$1] ?? 0) } }

  // MARK: Exchanges

  /// Runs one exchange, and returns its value and the result of the command.
  ///
  /// - Parameters:
  ///   - root: the folder of the exchange; nil for the one in the settings.
  ///   - bytes: the number of bytes that the remote host hashes; extends the timeout.
  func exchange<Value>(
    _ command: ServerCommand, in root: String? = nil, hashing bytes: Int64 = 0,
    _ body: (RemoteProgram) async throws(ExchangeFailure) -> Value
  ) async throws(SyncError) -> (Value, CommandExit) {
    try await exchange(.command(command.line(program: folder.program, root: root ?? folder.path)), bytes, body)
  }

  /// The same for any request.
  func exchange<Value>(
    _ request: SSHRequest, _ bytes: Int64 = 0, _ body: (RemoteProgram) async throws(ExchangeFailure) -> Value
  ) async throws(SyncError) -> (Value, CommandExit) {
    let stop = Stop()
    return try await locks.withLock("exchange") { () throws(SyncError) in
      let outcome = await withTaskCancellationHandler {
        do throws(SyncError) {
          return Result<(Value, CommandExit), SyncError>.success(try await attempt(request, bytes, stop, body))
        } catch {
          return .failure(error)
        }
      } onCancel: {
        stop.ask()
      }
      return try outcome.get()
    }
  }

  private func attempt<Value>(
    _ request: SSHRequest, _ bytes: Int64, _ stop: Stop,
    _ body: (RemoteProgram) async throws(ExchangeFailure) -> Value
  ) async throws(SyncError) -> (Value, CommandExit) {
    let more = Duration.milliseconds(bytes / Self.hashed)
    var attempt = 1
    while true {
      let program = RemoteProgram(try client.start(request, patience: more, stop))
      do throws(ExchangeFailure) {
        let value = try await body(program)
        return (value, program.end(isComplete: true))
      } catch {
        let exit = program.end(isComplete: error.isEndOfStream)
        guard ErrorTranslator.isBusy(exit), attempt < Self.attempts else {
          throw ErrorTranslator(folder, exit).error(error)
        }
      }
      attempt += 1
      // Only cancellation ends the pause early.
      do { try await runtime.sleep(Self.pause) } catch { try stop.check() }
    }
  }
}

/// The reason why an exchange failed: a remote or a local one.
enum ExchangeFailure: Error {
  case wire(RsyncError)
  case sftp(SFTPError)
  case own(SyncError)

  /// True if the remote host ended the exchange.
  var isEndOfStream: Bool {
    switch self {
    case .wire(.brokenOff), .wire(.remoteExit), .wire(.notRsync), .wire(.tooOld), .sftp(.notOffered): true
    case .wire, .sftp, .own: false
    }
  }
}

/// Runs the protocol part of an exchange.
func wire<Value>(_ body: () throws(RsyncError) -> Value) throws(ExchangeFailure) -> Value {
  do throws(RsyncError) { return try body() } catch { throw .wire(error) }
}

/// Runs the local part of an exchange.
func own<Value>(_ body: () async throws(SyncError) -> Value) async throws(ExchangeFailure) -> Value {
  do throws(SyncError) { return try await body() } catch { throw .own(error) }
}
