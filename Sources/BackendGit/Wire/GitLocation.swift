internal import SSHConnection
public import SyncKit

/// The location of a repository, with its protocol.
enum GitLocation: Hashable, Sendable {
  /// A folder on this machine.
  case path(String)
  case ssh(SSHHost, path: String)
  case http(String)

  /// Parses a path, a URL, or `HOST:PATH` as in scp, with git's rules. A path must be absolute. Returns nil for other texts,
  /// and for protocols that syncd does not support.
  init?(_ text: String) {
    guard let separator = text.firstRange(of: "://") else {
      guard let location = Self.folder(text) ?? Self.scp(text) else { return nil }
      self = location
      return
    }
    let (scheme, rest) = (text[..<separator.lowerBound].lowercased(), text[separator.upperBound...])
    switch scheme {
    case "file":
      guard rest.hasPrefix("/"), let path = Self.decoded(rest) else { return nil }
      self = .path(path)
    case "ssh", "git+ssh", "ssh+git":
      guard let location = Self.ssh(rest) else { return nil }
      self = location
    case "http", "https":
      guard URLText(text) != nil, !rest.prefix(while: { $0 != "/" }).contains("@") else { return nil }
      self = .http(text.hasSuffix("/") ? String(text.dropLast()) : text)
    default: return nil
    }
  }

  private static func folder(_ text: String) -> GitLocation? { text.hasPrefix("/") ? .path(text) : nil }

  private static func scp(_ text: String) -> GitLocation? {
    guard let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") else { return nil }
    return ssh(authority: text[..<colon], path: String(text[text.index(after: colon)...]))
  }

  private static func ssh(_ rest: Substring) -> GitLocation? {
    guard let slash = rest.firstIndex(of: "/"), let path = decoded(rest[slash...]) else { return nil }
    // `~` is a home folder on the remote host, and is sent without the leading slash.
    return ssh(authority: rest[..<slash], path: path.hasPrefix("/~") ? String(path.dropFirst()) : path)
  }

  private static func ssh(authority: Substring, path: String) -> GitLocation? {
    let at = authority.lastIndex(of: "@")
    let user = at.map { String(authority[..<$0]) }
    var host = at.map { authority[authority.index(after: $0)...] } ?? authority
    var port: Int?
    if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
      guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
      port = number
      host = host[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    // A path with a leading dash would be an option; `NAME::` runs a remote helper of git.
    guard let host = SSHHost(String(host), user: user, port: port), user?.contains(":") != true, !path.isEmpty,
      !path.hasPrefix("-"), !path.hasPrefix(":")
    else { return nil }
    return .ssh(host, path: path)
  }

  /// Decodes percent escapes; returns nil if one is invalid.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0
      else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The address of a repository in the settings: a relative path is made absolute; `~` and `${NAME}` are expanded.
public struct GitAddress: SettingValue, Hashable {
  /// The whole address.
  public let text: String
  let location: GitLocation

  public static var form: SettingForm {
    SettingForm(
      "the address of a repository without a password: a path, ssh://…, HOST:PATH or https://…",
      schema: ["type": "string", "minLength": 1])
  }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .string(let written) = node.value else { throw .expected(Self.form, at: node) }
    let text = try environment.expanded(written, at: node.location)
    if let address = GitAddress(text) {
      self = address
    } else if !text.contains("://"), let address = GitAddress(try SettingPath(node, in: environment).path) {
      self = address
    } else {
      throw SettingsError("expected \(Self.form.name)", at: node.location)
    }
  }

  /// Parses an address, in which a path must be absolute; returns nil if it is invalid.
  public init?(_ text: String) {
    guard let location = GitLocation(text), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    self.text = text
    self.location = location
  }

  public var written: TOMLValue? { .string(text) }
}
