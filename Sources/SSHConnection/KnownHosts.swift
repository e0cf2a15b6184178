internal import Crypto

import struct Foundation.Data

/// The keys of hosts that the user knows, from files such as `~/.ssh/known_hosts` (sshd(8)).
struct KnownHosts: Sendable {
  private struct Line: Sendable {
    var isRevoked: Bool
    var hosts: String
    var type: String
    var key: [UInt8]
  }

  private let lines: [Line]

  /// The texts of the files.
  init(_ texts: [String]) {
    lines = texts.flatMap { $0.split(whereSeparator: \.isNewline) }.compactMap(Self.line)
  }

  /// What a key of a host is to us.
  enum HostKeyStatus: Hashable, Sendable {
    case known
    /// Nothing is known of the host.
    case unknown
    /// Another key is known.
    case changed
    case revoked
  }

  /// - Parameter host: its name, as it stands in the files: with another port than 22 it is `[NAME]:PORT`.
  func status(of key: [UInt8], of host: String) -> HostKeyStatus {
    let found = lines.filter { Self.matches($0.hosts, host) }
    if found.contains(where: { $0.isRevoked && $0.key == key }) { return .revoked }
    let valid = found.filter { !$0.isRevoked }
    if valid.contains(where: { $0.key == key }) { return .known }
    return valid.isEmpty ? .unknown : .changed
  }

  /// The types of keys that are known of a host.
  func types(of host: String) -> [String] {
    lines.filter { !$0.isRevoked && Self.matches($0.hosts, host) }.map(\.type)
  }

  // MARK: Lines

  private static func line(_ text: Substring) -> Line? {
    var words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    let marker = words.first?.hasPrefix("@") == true ? words.removeFirst() : ""
    // Authorities that sign keys of hosts are for the ssh program.
    guard words.count >= 3, words[0].first != "#", marker != "@cert-authority",
      let key = Data(base64Encoded: String(words[2]))
    else { return nil }
    return Line(isRevoked: marker == "@revoked", hosts: String(words[0]), type: String(words[1]), key: Array(key))
  }

  private static func matches(_ hosts: String, _ host: String) -> Bool {
    if hosts.hasPrefix("|1|") { return isHash(hosts, of: host) }
    return SSHConfig.matches(hosts.split(separator: ",").map(String.init), host)
  }

  /// A name may be hidden behind `|1|SALT|HASH`.
  private static func isHash(_ text: String, of host: String) -> Bool {
    let parts = text.split(separator: "|")
    guard parts.count == 3, let salt = Data(base64Encoded: String(parts[1])),
      let hash = Data(base64Encoded: String(parts[2]))
    else { return false }
    let code = HMAC<Insecure.SHA1>.authenticationCode(
      for: Array(host.lowercased().utf8), using: SymmetricKey(data: salt))
    return Array(code) == Array(hash)
  }
}

/// What people compare a key of a host by: `SHA256:…`, as ssh prints it.
func fingerprint(of key: [UInt8]) -> String {
  let text = Data(SHA256.hash(data: key)).base64EncodedString()
  return "SHA256:" + text.prefix { $0 != "=" }
}
