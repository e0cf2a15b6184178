import SyncKit

/// The source of a secret, as answered by the user.
enum SecretAnswer {
  /// The forms, for messages.
  static let forms = "file:PATH, command:PROGRAM, env:NAME or keyring:NAME"

  /// Returns the value for the settings file in TOML; nil if the text names no source. A secret that is typed is never
  /// interpreted as a command, which would run it and show it.
  static func reference(_ words: String) -> String? {
    if words.hasPrefix("{") { return words }
    if ["/", "~/", "./"].contains(where: words.hasPrefix) { return file(words) }
    guard let colon = words.firstIndex(of: ":") else { return nil }
    let rest = String(words[words.index(after: colon)...]).trimmingPrefix { $0 == " " }
    guard !rest.isEmpty else { return nil }
    switch words[..<colon] {
    case "file": return file(String(rest))
    case "command": return "{ command = \(TOMLValue.list(String(rest))) }"
    case "env", "keyring", "credential": return "{ \(words[..<colon]) = \(TOMLValue.string(String(rest)).text) }"
    default: return nil
    }
  }

  private static func file(_ path: String) -> String { "{ file = \(TOMLValue.string(fromHere(path)).text) }" }
}

extension TOMLValue {
  /// Returns the words of a line as a list of strings.
  static func list(_ line: String) -> String {
    "[" + line.split(separator: " ").map { TOMLValue.string(String($0)).text }.joined(separator: ", ") + "]"
  }
}
