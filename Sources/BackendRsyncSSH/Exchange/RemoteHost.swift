internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// The remote host, and exchanges with the rsync on it: one at a time, each a command of its own.
///
/// It lives on a thread of its own, because a conversation waits where it waits.
actor RemoteHost {
  nonisolated let folder: RemoteFolder
  nonisolated let limits: RsyncLimits
  private let client: SSHClient
  private let runtime: Runtime
  private let locks = LockQueue()
  /// What was proved of the sftp there: that it can do what the exclusive mode needs, and that the folder has links.
  var (hasSFTP, hasLinks) = (false, false)
  /// How large the large files are, as they were listed or sent last.
  private var sizes: [SyncPath: Int64] = [:]
  private nonisolated let worker = Worker("rsync")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

  /// `rrsync` lets one command at a time into a folder; how often it is asked again.
  private static let attempts = 40
  private static let pause = Duration.milliseconds(250)

  init(_ folder: RemoteFolder, by client: SSHClient, _ limits: RsyncLimits, _ runtime: Runtime) {
    self.folder = folder
    self.client = client
    self.limits = limits
    self.runtime = runtime
  }

  /// How the other side is reached, in words.
  var route: String { client.route }

  // MARK: Patience

  /// Smaller files are hashed in no time.
  private static let large: Int64 = 1 << 20
  /// What the slowest machine hashes in a millisecond.
  private static let hashed: Int64 = 10_000

  func record(_ files: some Sequence<ListedFile>) {
    for file in files where file.kind == .file && file.size >= Self.large {
      if let path = SyncPath(bytes: file.name) { record(file.size, of: path) }
    }
  }

  func record(_ size: Int64, of path: SyncPath) {
    if size >= Self.large { sizes[path] = max(size, sizes[path] ?? 0) }
  }

  /// How many bytes the other side reads before it says a word of these files: each, and what was kept of it.
  func hashed(_ paths: [SyncPath]) -> Int64 { paths.reduce(0) { $0 + 2 * (sizes[$1] ?? 0) } }

  // MARK: Exchanges

  /// Has one exchange, and says how the command ended.
  ///
  /// - Parameters:
  ///   - root: the folder it is about; nil for the one of the settings.
  ///   - bytes: how much the other side hashes, for which it may be silent longer.
  func exchange<Value>(
    _ command: ServerCommand, in root: String? = nil, hashing bytes: Int64 = 0,
    _ body: (RemoteProgram) async throws(ExchangeFailure) -> Value
  ) async throws(SyncError) -> (Value, CommandExit) {
    try await exchange(.command(command.line(program: folder.program, root: root ?? folder.path)), bytes, body)
  }

  /// The same with whatever can be asked for.
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
      // Only a cancellation ends a pause early.
      do { try await runtime.sleep(Self.pause) } catch { try stop.check() }
    }
  }
}

/// Why an exchange could not go on: because of what came, or because of what we have here.
enum ExchangeFailure: Error {
  case wire(RsyncError)
  case sftp(SFTPError)
  case own(SyncError)

  /// True if the other side has ended by itself.
  var isEndOfStream: Bool {
    switch self {
    case .wire(.brokenOff), .wire(.remoteExit), .wire(.notRsync), .wire(.tooOld), .sftp(.notOffered): true
    case .wire, .sftp, .own: false
    }
  }
}

/// Does something on the wire, as a part of an exchange.
func wire<Value>(_ body: () throws(RsyncError) -> Value) throws(ExchangeFailure) -> Value {
  do throws(RsyncError) { return try body() } catch { throw .wire(error) }
}

/// Does something with what we have here, as a part of an exchange.
func own<Value>(_ body: () async throws(SyncError) -> Value) async throws(ExchangeFailure) -> Value {
  do throws(SyncError) { return try await body() } catch { throw .own(error) }
}
