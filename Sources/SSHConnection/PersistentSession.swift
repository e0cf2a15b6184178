internal import CPOSIX
internal import Programs
internal import SyncKit

/// A connection by libssh2 that is made for the first command, kept for later ones, and made again after it broke. One
/// thread uses it.
final class PersistentSession {
  private let destination: SSHDestination
  private let passphrase: String?
  private let timeout: Duration
  private var session: SSHSession?
  private var lastUse: Int64 = 0
  /// True if the host is the right one and accepted no key that libssh2 could offer.
  private(set) var isRefused = false

  /// Routers drop a silent connection without a word to either end, so an older one is not used again.
  private static let longestSilence: Int64 = 60_000_000

  /// - Parameters:
  ///   - passphrase: of the private key, if it has one.
  ///   - timeout: how long nothing may move.
  init(to destination: SSHDestination, passphrase: String?, timeout: Duration) {
    self.destination = destination
    self.passphrase = passphrase
    self.timeout = timeout
  }

  /// Starts a command or a subsystem.
  ///
  /// - Parameter more: how much longer than the timeout nothing may move once it runs.
  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> SSHChannel {
    let now = posix_monotonic_microseconds()
    defer { lastUse = posix_monotonic_microseconds() }
    let former = now - lastUse < Self.longestSilence ? session : nil
    // An error leaves the connection in the middle of something.
    session = nil
    if let former {
      do throws(SyncError) {
        let channel = try former.start(request, patience: more, stop)
        session = former
        return channel
      } catch {
        // It broke since it was last used, and nothing was started on it.
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
