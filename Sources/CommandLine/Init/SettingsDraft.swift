import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A settings file in the making: a store and one remote.
struct SettingsDraft {
  var store: String
  var remote: String
  var kind: RemoteKind
  /// What was answered, each a value as TOML has it.
  var answers: [Answer] = []

  struct Answer {
    var plugin: String
    var declaration: SettingDeclaration
    var value: String
  }

  /// The file, with a line above each setting that says what it is for.
  var text: String {
    """
    # Settings of syncd. `syncd settings template` shows every setting; `syncd settings check` finds mistakes.

    [store]
    path = \(TOMLValue.string(fromHere(store)).text)
    # exclude = ["*.pdf"]

    [remotes.\(remote)]
    sync = \(TOMLValue.string(kind.sync.id).text)

    """ + (kind.cloud.map { "cloud = \(TOMLValue.string($0.id).text)\n" } ?? "")
      + kind.plugins.map { table(of: $0.id) }.joined()
  }

  private func table(of plugin: String) -> String {
    let own = answers.filter { $0.plugin == plugin }
    guard !own.isEmpty else { return "" }
    return "\n[remotes.\(remote).\(plugin)]\n"
      + own.map { "# \($0.declaration.help)\n\($0.declaration.key) = \($0.value)\n" }.joined()
  }
}

extension SettingDeclaration {
  /// The value, as TOML has it, that a person means with these words.
  func value(meantBy words: String) -> String {
    if form.isSecret { return Self.secret(words) }
    if form.name == SettingPath.form.name { return TOMLValue.string(fromHere(words)).text }
    switch form.schema["type"] {
    case "boolean", "integer", "number": return words
    case "array": return words.hasPrefix("[") ? words : Self.list(words)
    default: return TOMLValue.string(words).text
    }
  }

  /// A secret itself does not belong into the file: where it is does, which is a file, or a command that prints it.
  private static func secret(_ words: String) -> String {
    if words.hasPrefix("{") { return words }
    let isPath = ["/", "~", "./"].contains { words.hasPrefix($0) }
    return isPath ? "{ file = \(TOMLValue.string(fromHere(words)).text) }" : "{ command = \(list(words)) }"
  }

  private static func list(_ words: String) -> String {
    "[" + words.split(separator: " ").map { TOMLValue.string(String($0)).text }.joined(separator: ", ") + "]"
  }
}

/// A path as it is meant where the person stands who names it; in the settings file it would be relative to that.
private func fromHere(_ path: String) -> String {
  ["/", "~", "$"].contains { path.hasPrefix($0) } ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}
