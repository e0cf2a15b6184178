/// What to start on the remote host.
public enum SSHRequest: Hashable, Sendable {
  /// A command for the account's shell.
  case command(String)
  /// A service that sshd knows by a name (RFC 4254, section 6.5), such as `sftp`.
  case subsystem(String)

  /// What the request is called in the protocol, and what it is about.
  var channelRequest: (kind: String, what: String) {
    switch self {
    case .command(let line): ("exec", line)
    case .subsystem(let name): ("subsystem", name)
    }
  }
}
