import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A draft of a settings file: a store and one remote.
struct SettingsDraft {
  var store: String
  var remote: String
  var kind: RemoteKind
  /// The answers, with values in TOML.
  var answers: [Answer] = []
  /// The secrets that were typed, each with the path of its file, relative to the settings file.
  var secrets: [(file: String, value: String)] {
    answers.compactMap { answer in answer.secret.map { (file(of: answer), $0) } }
  }

  struct Answer {
    var plugin: String
    var declaration: SettingDeclaration
    var value: String
    /// The secret if it was typed; the value is then empty.
    var secret: String?
  }

  private func file(of answer: Answer) -> String { "secrets/\(remote)-\(answer.plugin)-\(answer.declaration.key)" }

  /// The text of the file, with a comment above each setting.
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
      + own.map { "# \($0.declaration.help)\n\($0.declaration.key) = \(value(of: $0))\n" }.joined()
  }

  private func value(of answer: Answer) -> String {
    answer.secret == nil ? answer.value : "{ file = \(TOMLValue.string(file(of: answer)).text) }"
  }
}

extension SettingDeclaration {
  /// Returns the answer as a TOML value of the right type. Not for secrets.
  func value(meantBy words: String) -> String {
    if form.name == SettingPath.form.name { return TOMLValue.string(fromHere(words)).text }
    switch form.schema["type"] {
    case "boolean", "integer", "number": return words
    case "array": return words.hasPrefix("[") ? words : TOMLValue.list(words)
    default: return TOMLValue.string(words).text
    }
  }
}

/// Makes a path absolute relative to the working directory; in the settings file it would be relative to that.
func fromHere(_ path: String) -> String {
  ["/", "~", "$"].contains { path.hasPrefix($0) } ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}
