internal import Crypto

import struct Foundation.Data

/// The user's known host keys, from files such as `~/.ssh/known_hosts` (sshd(8)).
struct KnownHosts: Sendable {
  private struct Line: Sendable {
    var isRevoked: Bool
    var hosts: String
    var type: String
    var key: [UInt8]
  }

  private let lines: [Line]

  /// Parses the texts of the files.
  init(_ texts: [String]) {
    lines = texts.flatMap { $0.split(whereSeparator: \.isNewline) }.compactMap(Self.line)
  }

  /// The result of comparing a host's key with the known keys.
  enum HostKeyStatus: Hashable, Sendable {
    case known
    /// No key of the host is known.
    case unknown
    /// Only another key of the host is known.
    case changed
    case revoked
  }

  /// - Parameter host: the host's name as written in the files: with a port other than 22 it is `[NAME]:PORT`.
  func status(of key: [UInt8], of host: String) -> HostKeyStatus {
    let found = lines.filter { Self.matches($0.hosts, host) }
    if found.contains(where: { $0.isRevoked && $0.key == key }) { return .revoked }
    let valid = found.filter { !$0.isRevoked }
    if valid.contains(where: { $0.key == key }) { return .known }
    return valid.isEmpty ? .unknown : .changed
  }

  /// Returns the types of the known keys of a host.
  func types(of host: String) -> [String] {
    lines.filter { !$0.isRevoked && Self.matches($0.hosts, host) }.map(\.type)
  }

  // MARK: Lines

  private static func line(_ text: Substring) -> Line? {
    var words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    let marker = words.first?.hasPrefix("@") == true ? words.removeFirst() : ""
    // Host certificates are left to the ssh program.
    guard words.count >= 3, words[0].first != "#", marker != "@cert-authority",
      let key = Data(base64Encoded: String(words[2]))
    else { return nil }
    return Line(isRevoked: marker == "@revoked", hosts: String(words[0]), type: String(words[1]), key: Array(key))
  }

  private static func matches(_ hosts: String, _ host: String) -> Bool {
    if hosts.hasPrefix("|1|") { return isHash(hosts, of: host) }
    return SSHConfig.matches(hosts.split(separator: ",").map(String.init), host)
  }

  /// Returns true if the text is the hash of `host`, in the form `|1|SALT|HASH`.
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

/// The fingerprint of a host key, `SHA256:…`, as ssh prints it.
func fingerprint(of key: [UInt8]) -> String {
  let text = Data(SHA256.hash(data: key)).base64EncodedString()
  return "SHA256:" + text.prefix { $0 != "=" }
}
