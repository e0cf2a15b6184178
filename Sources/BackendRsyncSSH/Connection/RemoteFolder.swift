internal import SSHConnection

/// A folder on a remote host, and the rsync program of that host.
struct RemoteFolder: Hashable, Sendable {
  var host: SSHHost
  var path: String
  /// The command that runs rsync on the host.
  var program: String

  var hostName: String { host.name }

  /// The folder for messages: `USER@HOST:PATH`, with the port before the path if one is set.
  var address: String { "\(host.address):\(path)" }
}
