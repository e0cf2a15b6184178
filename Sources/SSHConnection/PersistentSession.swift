internal import CPOSIX
internal import Programs
internal import SyncKit

/// A libssh2 connection that is opened for the first command, reused for later ones, and reopened after an error. One thread
/// uses it.
final class PersistentSession {
  private let destination: SSHDestination
  private let passphrase: String?
  private let timeout: Duration
  private var session: SSHSession?
  private var lastUse: Int64 = 0
  /// True if the host's key is known, and the host accepted no key that libssh2 could offer.
  private(set) var isRefused = false

  /// Routers silently drop idle connections, so a connection that was idle for longer is not reused.
  private static let longestSilence: Int64 = 60_000_000

  /// - Parameters:
  ///   - passphrase: the passphrase of the private key, if it has one.
  ///   - timeout: the maximum time without progress.
  init(to destination: SSHDestination, passphrase: String?, timeout: Duration) {
    self.destination = destination
    self.passphrase = passphrase
    self.timeout = timeout
  }

  /// Starts a command or a subsystem.
  ///
  /// - Parameter more: the time that is added to the timeout once the request runs.
  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> SSHChannel {
    let now = posix_monotonic_microseconds()
    defer { lastUse = posix_monotonic_microseconds() }
    let former = now - lastUse < Self.longestSilence ? session : nil
    // An error leaves the connection in an unknown state.
    session = nil
    if let former {
      do throws(SyncError) {
        let channel = try former.start(request, patience: more, stop)
        session = former
        return channel
      } catch {
        // The idle connection has failed, and nothing was started on it.
        guard error.code != .cancelled else { throw error }
      }
    }
    let connected = try connect(stop)
    let channel = try connected.start(request, patience: more, stop)
    session = connected
    return channel
  }

  private func connect(_ stop: Stop) throws(SyncError) -> SSHSession {
    let session = try SSHSession(to: destination, patience: timeout, stop)
    do throws(SyncError) { try session.authenticate(passphrase: passphrase) } catch {
      isRefused = error.code == .unauthorized
      throw error
    }
    return session
  }
}
