internal import Programs
internal import RsyncWire
internal import SSHConnection
internal import SyncKit

/// A connection by libssh2 that is kept while commands come: no program of this machine is needed.
///
/// It is used by one far side and on its thread only.
final class LibraryTransport: Transport, @unchecked Sendable {
  private let destination: SSHDestination
  private let passphrase: String?
  private let patience: Duration
  private var session: SSHSession?
  /// Whether the host is the right one and accepts no key that we can show.
  private(set) var isRefused = false

  init(to destination: SSHDestination, passphrase: String?, patience: Duration) {
    self.destination = destination
    self.passphrase = passphrase
    self.patience = patience
  }

  var words: String { "by libssh2" }

  func start(_ command: String, _ stop: Stop) throws(SyncError) -> any RemoteProgram {
    if let session {
      do throws(SyncError) { return LibraryStream(try session.start(command, stop)) } catch {
        guard error.code != .cancelled else { throw error }
        // It has been broken off since it was used last; nothing was started on it.
        self.session = nil
      }
    }
    return LibraryStream(try connect(stop).start(command, stop))
  }

  private func connect(_ stop: Stop) throws(SyncError) -> SSHSession {
    let session = try SSHSession(to: destination, patience: patience, stop)
    do throws(SyncError) { try session.authenticate(passphrase: passphrase) } catch {
      isRefused = error.code == .unauthorized
      throw error
    }
    self.session = session
    return session
  }
}

/// The conversation with a command on a channel of the connection.
private final class LibraryStream: RemoteProgram {
  private let channel: SSHChannel

  init(_ channel: SSHChannel) { self.channel = channel }

  func write(_ bytes: [UInt8]) throws(RsyncError) {
    // A command that has ended is heard out: what it said tells why.
    do throws(SyncError) { _ = try channel.write(bytes) } catch { throw .stream(error) }
  }

  func read() throws(RsyncError) -> [UInt8] {
    do throws(SyncError) { return try channel.read() } catch { throw .stream(error) }
  }

  func end(isComplete: Bool) -> Ending {
    channel.end(isComplete: isComplete)
    return Ending(status: channel.exitStatus, complaints: channel.complaints)
  }
}
