internal import SSHConnection

/// A folder on a remote host, and the rsync there.
struct RemoteFolder: Hashable, Sendable {
  var host: SSHHost
  var path: String
  /// The command that runs rsync there.
  var program: String

  var hostName: String { host.name }

  /// The folder for a person: `USER@HOST:PATH`, with the port in front of the path if one is set.
  var address: String { "\(host.address):\(path)" }
}
