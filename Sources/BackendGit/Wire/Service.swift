/// The two services that git has on the other side (gitprotocol-pack(5)).
enum Service: String, Sendable {
  case fetch = "upload-pack"
  case push = "receive-pack"

  /// The command that runs it on the remote host, for the repository at `path`.
  func command(on path: String) -> String { "git-\(rawValue) \(Self.quoted(path))" }

  /// The path as one word for the shell on the other side; `~` and the name behind it are left for it to expand.
  static func quoted(_ path: String) -> String {
    let home = path.hasPrefix("~") ? path.prefix { $0 != "/" } : ""
    guard home.dropFirst().allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) }) else { return quote(path) }
    let rest = path.dropFirst(home.count)
    return home + (rest.isEmpty ? "" : quote(String(rest)))
  }

  private static func quote(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''").replacing("!", with: "'\\!'") + "'"
  }
}
