internal import SyncKit

import struct Foundation.Data
import class Foundation.FileManager

/// The host to connect to and the keys to offer, resolved from the settings and `~/.ssh/config`.
struct SSHDestination: Sendable {
  /// The host's name as the user writes it.
  var name: String
  /// The command with which a user connects to the same host, to confirm its key.
  var command: String
  var address: String
  var port: Int
  var user: String
  /// The name of the host in known hosts files.
  var keyName: String
  /// The private key files, in the order in which they are tried.
  var identities: [String]
  /// True if the agent must not offer any other keys.
  var onlyIdentities: Bool
  var knownHosts: KnownHosts
  /// The path of the agent's socket, if there is one.
  var agent: String?
  /// The reason why only the user's own ssh can connect, as a clause; nil if libssh2 can as well.
  var obstacle: String?

  /// - Parameter variables: the environment, of which `HOME`, `USER`, `LOGNAME` and `SSH_AUTH_SOCK` are used.
  init(_ host: SSHHost, _ settings: SSHSettings, _ variables: [String: String]) {
    let home = variables["HOME"] ?? "/"
    let config = Self.config(for: host.name, home)
    let user = host.user ?? config["user"] ?? variables["USER"] ?? variables["LOGNAME"] ?? "root"
    let address = config["hostname"].map { $0.replacing("%h", with: host.name).replacing("%%", with: "%") } ?? host.name
    let port = host.port ?? config["port"].flatMap { Int($0) } ?? 22
    func path(_ text: String) -> String {
      text.replacing("%d", with: home).replacing("%h", with: address).replacing("%r", with: user)
        .replacing("%u", with: variables["USER"] ?? "").replacing("%%", with: "%").inHome(home)
    }
    name = host.name
    command = Self.command(to: host, settings)
    (self.user, self.address, self.port) = (user, address, port)
    let alias = config["hostkeyalias"]
    keyName = alias ?? (port == 22 ? address : "[\(address)]:\(port)")
    let named = settings.identityFile.map { [$0.path] } ?? config.all("identityfile").map(path)
    let usual = ["id_ed25519", "id_ecdsa", "id_rsa"].map { "\(home)/.ssh/\($0)" }
    identities = (named.isEmpty ? usual : named).filter { FileManager.default.fileExists(atPath: $0) }
    onlyIdentities = settings.identityFile != nil || config["identitiesonly"]?.lowercased() == "yes"
    let files =
      settings.knownHosts.map { [$0.path] }
      ?? (config.all("userknownhostsfile").isEmpty
        ? ["\(home)/.ssh/known_hosts", "\(home)/.ssh/known_hosts2"] : config.all("userknownhostsfile").map(path))
      + ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]
    knownHosts = KnownHosts(files.compactMap(Self.text))
    let socket = config["identityagent"] ?? variables["SSH_AUTH_SOCK"]
    agent = socket == "none" || socket == "SSH_AUTH_SOCK" && variables["SSH_AUTH_SOCK"] == nil ? nil : socket.map(path)
    if socket == "SSH_AUTH_SOCK" { agent = variables["SSH_AUTH_SOCK"] }
    obstacle = Self.obstacle(in: config)
  }

  private static func command(to host: SSHHost, _ settings: SSHSettings) -> String {
    var words = ["ssh"]
    if let port = host.port { words += ["-p", "\(port)"] }
    if let file = settings.knownHosts { words += ["-o", "UserKnownHostsFile=\(file.path)"] }
    words.append((host.user.map { "\($0)@" } ?? "") + host.name)
    return words.map(word).joined(separator: " ")
  }

  /// A word of a command that a user pastes into a shell: quoted if it has other characters than these.
  private static func word(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || "-_=./@:~%+,".utf8.contains(byte)
    }
    return plain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private static func config(for host: String, _ home: String) -> SSHConfig {
    let folder = home + "/.ssh"
    return SSHConfig(text(folder + "/config") ?? "", for: host) { name in
      let pattern = name.hasPrefix("/") || name.hasPrefix("~") ? name.inHome(home) : folder + "/" + name
      return files(pattern).compactMap(text)
    }
  }

  /// Returns the files that match a path whose last component may have wildcards.
  private static func files(_ pattern: String) -> [String] {
    guard let slash = pattern.lastIndex(of: "/"), pattern[slash...].contains(where: { "*?".contains($0) }) else {
      return [pattern]
    }
    let folder = String(pattern[..<slash])
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { SSHConfig.wildcard(pattern[pattern.index(after: slash)...], $0[...]) }.sorted()
      .map { folder + "/" + $0 }
  }

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func obstacle(in config: SSHConfig) -> String? {
    for (keyword, words) in [
      ("proxyjump", "the connection needs ProxyJump"),
      ("proxycommand", "the connection needs ProxyCommand"), ("certificatefile", "the login needs a certificate"),
      ("pkcs11provider", "the key is on a smart card"),
    ] {
      if let value = config[keyword], value.lowercased() != "none" { return words }
    }
    return config.isConditional ? "`~/.ssh/config` has Match blocks, which only ssh evaluates" : nil
  }

  /// The reason why the installed libssh2 cannot connect but the user's own ssh can, as a clause; nil if it can.
  var limitation: String? {
    if let reason = Library.failure ?? obstacle { return reason }
    guard !Library.signsWithRSA else { return nil }
    if onlyIdentities, !identities.isEmpty, identities.allSatisfy(Self.isRSA) {
      return "the key is an RSA key, and libssh2 here is older than 1.11"
    }
    let types = knownHosts.types(of: keyName)
    if !types.isEmpty, types.allSatisfy({ $0 == "ssh-rsa" }) {
      return "the known hosts file has only an RSA key of the host, and libssh2 here is older than 1.11"
    }
    return nil
  }

  /// Returns true if a file holds a private RSA key, encrypted or not: its public part precedes it unencrypted.
  private static func isRSA(_ file: String) -> Bool {
    guard let text = text(file) else { return false }
    if text.contains("BEGIN RSA PRIVATE KEY") { return true }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    guard text.contains("BEGIN OPENSSH PRIVATE KEY"), let bytes = Data(base64Encoded: lines.joined()) else {
      return false
    }
    return Array(bytes).firstRange(of: Array("ssh-rsa".utf8)) != nil
  }
}

extension String {
  fileprivate func inHome(_ home: String) -> String {
    self == "~" ? home : hasPrefix("~/") ? home + dropFirst(1) : self
  }
}
