internal import SSHConnection
internal import SyncKit

/// A folder on a host with sftp.
struct RemoteFolder: Hashable, Sendable {
  let host: SSHHost
  /// The path as the server gets it: relative paths start in the account's home folder.
  private let root: [UInt8]
  private let path: String

  init(host: SSHHost, path: String) {
    self.host = host
    self.path = path
    var root = Array(path.utf8)
    // Only a shell knows the home folder by this name.
    if path == "~" { root = Array(".".utf8) }
    if path.hasPrefix("~/") { root = Array(path.utf8.dropFirst(2)) }
    while root.count > 1, root.last == UInt8(ascii: "/") { root.removeLast() }
    self.root = root.isEmpty ? Array(".".utf8) : root
  }

  var hostName: String { host.name }

  /// The folder for messages: `USER@HOST:PATH`, with the port before the path if one is set.
  var address: String { "\(host.address):\(path)" }

  /// The bytes of a path on the server; those of the folder itself for nil.
  func bytes(of path: SyncPath?) -> [UInt8] {
    guard let path else { return root }
    return root.last == UInt8(ascii: "/") ? root + path.bytes : root + [UInt8(ascii: "/")] + path.bytes
  }
}
