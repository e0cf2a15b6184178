/// A folder on a remote host, and how to reach it.
struct Place: Hashable, Sendable {
  var host: String
  var user: String?
  var port: Int?
  var path: String
  /// What rsync is called there.
  var program: String

  /// What people call it: `USER@HOST:PATH`, with the port in front of the path where one is set.
  var address: String {
    (user.map { "\($0)@" } ?? "") + (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "") + ":"
      + path
  }
}
