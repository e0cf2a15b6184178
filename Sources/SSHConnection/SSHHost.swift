/// A remote host: its name or address, and the account and port if they differ from ssh's choice.
public struct SSHHost: Hashable, Sendable {
  /// The name, address or alias, as the user wrote it. Never empty, and never an option to the program ssh.
  public let name: String
  /// The account; nil for the one that ssh would choose.
  public let user: String?
  /// The port of sshd; nil for the one that ssh would choose.
  public let port: Int?

  /// Returns nil if the name or the user could be misread, for example as an option (CVE-2017-1000117).
  public init?(_ name: String, user: String? = nil, port: Int? = nil) {
    guard Self.isName(name), user.map(Self.isName) ?? true, port.map((1...65_535).contains) ?? true else { return nil }
    (self.name, self.user, self.port) = (name, user, port)
  }

  /// Returns true if the text is valid as the name of a host or of an account.
  public static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("-")
      && !text.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "@") }
  }

  /// `USER@HOST:PORT`, without the parts that are not set.
  public var address: String {
    (user.map { "\($0)@" } ?? "") + (name.contains(":") ? "[\(name)]" : name) + (port.map { ":\($0)" } ?? "")
  }

  /// `USER@HOST`, the form that the ssh program expects.
  var account: String { (user.map { "\($0)@" } ?? "") + name }
}
