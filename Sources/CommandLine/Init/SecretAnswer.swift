import SyncKit

/// Where a person says that a secret is kept.
enum SecretAnswer {
  /// The forms, for messages.
  static let forms = "file:PATH, command:PROGRAM, env:NAME or keyring:NAME"

  /// The value for the settings file, as TOML has it; nil if the words name no place. What a person types as the secret itself is
  /// never taken for a command, which would run it and show it.
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
  /// The words of a line as a list of strings.
  static func list(_ line: String) -> String {
    "[" + line.split(separator: " ").map { TOMLValue.string(String($0)).text }.joined(separator: ", ") + "]"
  }
}
