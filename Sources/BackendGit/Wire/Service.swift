/// The two services of git on the server (gitprotocol-pack(5)).
enum Service: String, Sendable {
  case fetch = "upload-pack"
  case push = "receive-pack"

  /// The command that runs the service on the remote host, for the repository at `path`.
  func command(on path: String) -> String { "git-\(rawValue) \(Self.quoted(path))" }

  /// The path as one word for the remote shell, which still expands `~` and the name after it.
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
