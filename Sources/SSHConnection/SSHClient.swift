public import Programs
public import SyncKit

/// Runs commands and subsystems on one remote host, by the route that the settings choose. One thread uses it.
///
/// ``SSHSettings`` decide the route: libssh2 over a persistent connection, or the user's own ssh, which connects for each
/// command. Neither ever asks a question or accepts the key of an unknown host.
public final class SSHClient: @unchecked Sendable {
  private let session: PersistentSession
  private let program: SSHProgram
  /// Changes once, to the program, if the host accepts no key that libssh2 offers.
  private var current: SSHRoute

  /// A client that has not connected yet. Throws `.unauthorized` if the passphrase cannot be read.
  ///
  /// - Parameters:
  ///   - timeout: the maximum time without progress.
  ///   - environment: the environment for programs; variables that would make them ask questions are removed.
  public init(
    to host: SSHHost, _ settings: SSHSettings, timeout: Duration, environment: [String: String]
  ) async throws(SyncError) {
    let destination = SSHDestination(host, settings, environment)
    let route = SSHRoute(settings, obstacle: destination.limitation)
    var passphrase: String?
    if case .library = route { passphrase = try await settings.passphrase(for: host) }
    current = route
    session = PersistentSession(to: destination, passphrase: passphrase, timeout: timeout)
    program = SSHProgram(
      host: host, settings: settings, variables: Program.unattended(environment), timeout: timeout)
  }

  /// The current route for people, such as "with libssh2".
  public var route: String {
    switch current {
    case .library: "with libssh2"
    case .program(let reason):
      "with the program `\(program.settings.sshCommand.first ?? "ssh")`" + (reason.map { " because \($0)" } ?? "")
    }
  }

  /// Starts a command or a subsystem. A subsystem that the host does not offer ends at once, with an error line.
  ///
  /// Throws `.unauthorized` if the host or this account is refused, `.unavailable` if the host cannot be reached, and
  /// `.invalidSettings` if the program cannot be run.
  ///
  /// - Parameter more: the time that is added to the timeout.
  public func start(
    _ request: SSHRequest, patience more: Duration = .zero, _ stop: Stop
  ) throws(SyncError) -> any RemoteProcess {
    guard case .library(let fallsBack) = current else { return try program.start(request, patience: more, stop) }
    do throws(SyncError) { return try session.start(request, patience: more, stop) } catch {
      // A host with the wrong key is the wrong host for ssh as well.
      guard fallsBack, session.isRefused, let process = try? program.start(request, patience: more, stop) else {
        throw error
      }
      current = .program(reason: "the host accepts no key that libssh2 can offer")
      return process
    }
  }
}

extension SSHSettings {
  fileprivate func passphrase(for host: SSHHost) async throws(SyncError) -> String? {
    do { return try await passphrase?.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the `passphrase` of the key for \(host.name): \(error)")
    }
  }
}
