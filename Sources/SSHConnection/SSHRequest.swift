/// A process to start on the remote host.
public enum SSHRequest: Hashable, Sendable {
  /// A command line for the account's shell.
  case command(String)
  /// A named subsystem of sshd (RFC 4254, section 6.5), such as `sftp`.
  case subsystem(String)

  /// The type of the channel request in the protocol, and its argument.
  var channelRequest: (kind: String, what: String) {
    switch self {
    case .command(let line): ("exec", line)
    case .subsystem(let name): ("subsystem", name)
    }
  }
}
