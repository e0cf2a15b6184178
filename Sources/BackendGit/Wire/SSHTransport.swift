internal import GitObjects
internal import Programs
internal import SSHConnection
internal import SyncKit

/// Runs the git services on a remote host over ssh.
struct SSHTransport: Transport {
  let client: SSHClient
  let host: SSHHost
  /// The repository's path on the host.
  let path: String

  var isStateless: Bool { false }

  var summary: String { client.route }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    ProcessChannel(try client.start(.command(service.command(on: path)), stop), at: "\(host.name):\(path)")
  }
}
