internal import CPOSIX
public import Programs
public import SyncKit

/// A connection to a remote host that is opened for the first command, kept for later ones, and opened again when it
/// was lost. It is used on one thread only.
public final class KeptSession: @unchecked Sendable {
  private let destination: SSHDestination
  private let passphrase: String?
  private let patience: Duration
  private var session: SSHSession?
  private var lastUse: Int64 = 0
  /// Whether the host is the right one and accepts no key that we can show.
  public private(set) var isRefused = false

  /// Routers forget a silent connection without a word to either end.
  private static let longestSilence: Int64 = 60_000_000

  /// - Parameters:
  ///   - passphrase: of the private key, where it has one.
  ///   - patience: how long nothing may move.
  public init(to destination: SSHDestination, passphrase: String?, patience: Duration) {
    self.destination = destination
    self.passphrase = passphrase
    self.patience = patience
  }

  /// Starts a command or a service on the remote host.
  ///
  /// - Parameter more: how much longer than otherwise nothing may move once it runs.
  public func start(
    _ request: SSHRequest, patience more: Duration = .zero, _ stop: Stop
  ) throws(SyncError) -> SSHChannel {
    let now = posix_monotonic_microseconds()
    defer { lastUse = posix_monotonic_microseconds() }
    let former = now - lastUse < Self.longestSilence ? session : nil
    // What ends in an error has left the connection in the middle of something.
    session = nil
    if let former {
      do throws(SyncError) {
        let channel = try former.start(request, patience: more, stop)
        session = former
        return channel
      } catch {
        // Otherwise the connection was lost since its last use, and nothing was started on it.
        guard error.code != .cancelled else { throw error }
      }
    }
    let connected = try connect(stop)
    let channel = try connected.start(request, patience: more, stop)
    session = connected
    return channel
  }

  private func connect(_ stop: Stop) throws(SyncError) -> SSHSession {
    let session = try SSHSession(to: destination, patience: patience, stop)
    do throws(SyncError) { try session.authenticate(passphrase: passphrase) } catch {
      isRefused = error.code == .unauthorized
      throw error
    }
    return session
  }
}
