internal import Programs
internal import SFTPWire
internal import SSHConnection
internal import SyncKit

/// Sends the requests of the waiting line and receives the answers, on a thread of its own, because both block.
actor Pump {
  private let folder: RemoteFolder
  private let client: SSHClient
  private let timeout: Duration
  private let line: WaitingLine
  private var connection: Connection?
  private nonisolated let worker = Worker("sftp")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

  private struct Connection {
    let process: any RemoteProcess
    let talk: SFTPTalk
    /// The requests in transit.
    var waiting: [UInt32: (batch: Batch, index: Int)] = [:]
    /// The time of the last answer.
    var lastUse = ContinuousClock.now
  }

  /// Routers silently drop idle connections, so a connection that was idle for longer is not reused.
  private static let longestSilence = Duration.seconds(45)
  /// A packet, which arrives in pieces, may take this multiple of the stall timeout.
  private static let packetFactor = 4

  init(_ folder: RemoteFolder, _ client: SSHClient, _ timeout: Duration, _ line: WaitingLine) {
    (self.folder, self.client, self.timeout, self.line) = (folder, client, timeout, line)
  }

  /// The route to the host, for messages.
  var route: String { client.route }

  /// Works until no request waits.
  func run() {
    repeat {
      do throws(SyncError) { try work() } catch {
        disconnect()
        // Those that were cancelled have ended already.
        line.fail(
          error.code == .cancelled
            ? SyncError(.unavailable, "the connection to \(folder.hostName) was interrupted") : error)
        line.resetStop()
      }
    } while !line.endIfEmpty()
  }

  private func work() throws(SyncError) {
    if let connection, connection.lastUse.duration(to: .now) > Self.longestSilence { disconnect() }
    var current = if let connection { connection } else { try connect() }
    connection = nil
    do throws(SFTPError) {
      repeat {
        try send(&current)
        guard !current.waiting.isEmpty else { break }
        repeat { try receive(&current) } while current.talk.hasAnswer && !current.waiting.isEmpty
        line.removeFinished()
      } while true
    } catch {
      current.process.end(isComplete: false)
      throw ServerFailure(folder, current.process).error(error)
    }
    current.lastUse = .now
    connection = current
  }

  private func send(_ current: inout Connection) throws(SFTPError) {
    let next = line.next(SFTPTalk.window - current.talk.count)
    guard !next.isEmpty else { return }
    for (id, place) in zip(try current.talk.send(next.map { $0.batch.requests[$0.index] }), next) {
      current.waiting[id] = place
    }
  }

  private func receive(_ current: inout Connection) throws(SFTPError) {
    let (id, reply) = try current.talk.receive()
    if let (batch, index) = current.waiting.removeValue(forKey: id) { batch.answer(index, reply) }
  }

  private func connect() throws(SyncError) -> Connection {
    let process = try client.start(.subsystem("sftp"), line.stop)
    do throws(SFTPError) {
      let talk = try SFTPTalk(process, patience: timeout * Self.packetFactor)
      line.extensions = talk.extensions
      return Connection(process: process, talk: talk)
    } catch {
      process.end(isComplete: error.isEndOfStream)
      throw ServerFailure(folder, process).error(error)
    }
  }

  private func disconnect() {
    connection?.process.end(isComplete: false)
    connection = nil
  }
}
