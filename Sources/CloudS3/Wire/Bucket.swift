internal import HTTPStorage
internal import SyncKit

/// A bucket and the beginning of its keys that belongs to one store.
struct Bucket: Sendable {
  let name: String
  /// The beginning of all keys: empty, or with a slash at its end.
  let prefix: [UInt8]
  private let server: Server
  private let hasOwnHost: Bool

  private enum Server: Sendable {
    /// AWS, whose host depends on the region.
    case aws
    case host(scheme: String, authority: String)
  }

  /// Nil unless the settings name a bucket, a valid prefix and an address without a path.
  init?(_ settings: S3.Settings) {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
    guard !settings.bucket.isEmpty, settings.bucket.allSatisfy(allowed.contains), settings.bucket != ".",
      settings.bucket != ".."
    else { return nil }
    name = settings.bucket
    var prefix = Array(settings.prefix.utf8)
    while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
    guard prefix.isEmpty || SyncPath(bytes: prefix) != nil, prefix.count < Self.longestKey / 2 else { return nil }
    self.prefix = prefix.isEmpty ? [] : prefix + [UInt8(ascii: "/")]
    guard let server = Self.server(settings.endpoint?.text) else { return nil }
    self.server = server
    switch (settings.addressing, server) {
    case (.virtual, _): hasOwnHost = true
    // A certificate for `*.host` does not match a name with a dot.
    case (.auto, .aws): hasOwnHost = !name.contains(".")
    case (.auto, .host), (.path, _): hasOwnHost = false
    }
  }

  private static func server(_ endpoint: String?) -> Server? {
    guard let endpoint else { return .aws }
    guard let end = endpoint.firstRange(of: "://") else { return nil }
    let scheme = endpoint[..<end.lowerBound].lowercased()
    var authority = endpoint[end.upperBound...]
    if authority.last == "/" { authority.removeLast() }
    guard scheme == "https" || scheme == "http", !authority.isEmpty, !authority.contains(where: "/?#@ ".contains) else {
      return nil
    }
    let ownPort = scheme == "https" ? ":443" : ":80"
    if authority.hasSuffix(ownPort) { authority = authority.dropLast(ownPort.count) }
    return .host(scheme: scheme, authority: authority.lowercased())
  }

  /// True if the bucket is at AWS, so that its prices are known.
  var isAtAWS: Bool {
    switch server {
    case .aws: true
    case .host(_, let authority): authority.hasSuffix(".amazonaws.com")
    }
  }

  /// The maximum length of a key in bytes.
  static let longestKey = 1_024

  /// The bucket's name in messages; it does not depend on the region.
  var address: String {
    let place =
      switch server {
      case .aws: "s3://\(name)"
      case .host(let scheme, let authority): "\(scheme)://\(authority)/\(name)"
      }
    return "\(place)/\(String(decoding: prefix, as: UTF8.self))"
  }

  /// The host that serves the bucket, with its port unless it is the scheme's.
  func host(in region: String) -> String {
    let authority =
      switch server {
      case .aws: "s3.\(region).amazonaws.com"
      case .host(_, let authority): authority
      }
    return hasOwnHost ? "\(name).\(authority)" : authority
  }

  var scheme: String { if case .host(let scheme, _) = server { scheme } else { "https" } }

  /// The encoded path of a key, or of the bucket.
  func path(of key: [UInt8]?) -> String {
    (hasOwnHost ? "/" : "/\(name)" + (key == nil ? "" : "/")) + PercentCoding.encoded(key ?? [], keepsSlashes: true)
  }

  /// The key of a file.
  func key(of path: SyncPath) -> [UInt8] { prefix + path.bytes }

  /// The file of a key; nil if the key is not a path below the prefix.
  func path(ofKey key: [UInt8]) -> SyncPath? {
    guard key.starts(with: prefix) else { return nil }
    return SyncPath(bytes: Array(key.dropFirst(prefix.count)))
  }

  /// The names that a bucket can hold below the prefix. Control characters do not survive every XML parser.
  var naming: NamingRules {
    NamingRules(
      requiresUTF8: true, forbiddenBytes: Set(0..<0x20).union([0x7F]),
      maximumPathLength: Self.longestKey - prefix.count)
  }
}
