/// The scheme, host and port of a URL, to which credentials are restricted.
struct Origin: Hashable, Sendable {
  let scheme: String
  let host: String
  let port: Int

  /// Parses the origin of an `http` or `https` URL; returns nil for any other text.
  init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = url[..<separator.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let authority = url[separator.upperBound...].prefix { !"/?#".contains($0) }
    let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let defaultPort = scheme == "https" ? 443 : 80
    let colon = hostAndPort.lastIndex(of: ":").flatMap { hostAndPort[$0...].contains("]") ? nil : $0 }
    host = (colon.map { hostAndPort[..<$0] } ?? hostAndPort).lowercased()
    guard !host.isEmpty, let port = colon.map({ Int(hostAndPort[hostAndPort.index(after: $0)...]) }) ?? defaultPort
    else { return nil }
    self.port = port
  }

  /// The scheme, host and port of a URL as text, without a user.
  static func text(of url: String) -> String {
    Origin(url).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? "an invalid address"
  }

  /// True if the host is a loopback address or `localhost` (RFC 6761, section 6.3). Any other name is looked up in DNS and may
  /// lead anywhere, even one that begins like an address.
  var isThisMachine: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(Self.isOctet)
  }

  /// Returns true for a decimal number from 0 to 255 in the form on which resolvers agree: digits only, no leading zero.
  private static func isOctet(_ text: Substring) -> Bool { UInt8(text).map { String($0) == text } ?? false }
}
