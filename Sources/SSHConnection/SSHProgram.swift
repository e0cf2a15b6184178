internal import Programs
internal import SyncKit

/// The user's own ssh with its whole configuration: keys, agents, jump hosts, certificates, aliases.
struct SSHProgram: Sendable {
  let host: SSHHost
  let settings: SSHSettings
  /// The environment of the program.
  let variables: [String: String]
  let timeout: Duration

  /// The interval in seconds after which ssh probes a silent host.
  private static let keepalive = SSHSession.keepalive

  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> Program {
    try Program(arguments(for: request), variables: variables, patience: timeout + more, stop)
  }

  /// The command line: ssh must never ask, never accept an unknown host, and pass all bytes unchanged.
  func arguments(for request: SSHRequest) -> [String] {
    var arguments =
      settings.sshCommand + [
        "-T", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oClearAllForwardings=yes",
        "-oConnectTimeout=\(max(1, min(30, timeout.components.seconds)))", "-oServerAliveInterval=\(Self.keepalive)",
      ]
    if let file = settings.identityFile { arguments += ["-oIdentitiesOnly=yes", "-i", file.path] }
    if let file = settings.knownHosts {
      arguments += ["-oUserKnownHostsFile=\(file.path)", "-oGlobalKnownHostsFile=/dev/null"]
    }
    if let port = host.port { arguments += ["-p", "\(port)"] }
    return switch request {
    case .command(let line): arguments + ["--", host.account, line]
    case .subsystem(let name): arguments + ["-s", "--", host.account, name]
    }
  }
}
