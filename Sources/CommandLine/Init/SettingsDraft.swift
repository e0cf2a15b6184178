import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A draft of the tables of one remote.
struct RemoteDraft {
  var remote: String
  var kind: RemoteKind
  /// The settings in the remote's own table, in addition to its kind, in TOML.
  var own: [(key: String, value: String)] = []
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
    /// The answer as the user gave it, unless it is a secret.
    var text: String?
  }

  private func file(of answer: Answer) -> String {
    Self.secretFile(remote: remote, Question(plugin: answer.plugin, declaration: answer.declaration))
  }

  /// Returns the file for a secret, relative to the folder of the settings file.
  static func secretFile(remote: String, _ question: Question) -> String {
    "secrets/\(remote)-\(question.plugin)-\(question.declaration.key)"
  }

  /// The draft with the secrets that were typed as values, for a check before anything is written.
  var withSecrets: RemoteDraft {
    var draft = self
    for (index, answer) in answers.enumerated() {
      guard let secret = answer.secret else { continue }
      draft.answers[index].value = TOMLValue.string(secret).text
      draft.answers[index].secret = nil
    }
    return draft
  }

  /// The text of a settings file with this remote only.
  func file(store: String) -> String { Self.head(store: store) + text }

  /// The beginning of a settings file.
  static func head(store: String) -> String {
    """
    # Settings of syncd. `syncd settings template` shows every setting; `syncd settings check` finds mistakes.

    [store]
    \(backend(of: store))path = \(TOMLValue.string(fromHere(store)).text)
    # exclude = ["*.pdf"]


    """
  }

  /// The line that chooses the kind of store of a path such as `org.sqlite`, which ends in the ID of a kind that is one file; empty for
  /// a folder.
  private static func backend(of store: String) -> String {
    let kinds = Program.registry.plugins(.store).filter { ($0 as? any InternalStorage.Type)?.isFolder == false }
    return kinds.first { store.hasSuffix(".\($0.id)") }.map { "backend = \(TOMLValue.string($0.id).text)\n" } ?? ""
  }

  /// Returns the text of a settings file with the tables of another remote.
  static func appending(_ draft: RemoteDraft, to text: String) -> String {
    (text.last?.isNewline == true ? text : text + "\n") + (text.hasSuffix("\n\n") ? "" : "\n") + draft.text
  }

  /// The text of the tables, with a comment above each setting.
  var text: String {
    "[remotes.\(remote)]\nsync = \(TOMLValue.string(kind.sync.id).text)\n"
      + (kind.cloud.map { "cloud = \(TOMLValue.string($0.id).text)\n" } ?? "")
      + (kind.encryption.map { "encryption = \(TOMLValue.string($0.id).text)\n" } ?? "")
      + own.map { "\($0.key) = \($0.value)\n" }.joined() + kind.plugins.map { table(of: $0.id) }.joined()
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
