import ArgumentParser
import SyncDaemon
import SyncKit

/// Collects the answers for `syncd init`: from options, and on a terminal by asking for the others.
struct Interview {
  /// The values of `--set`, in order: `KEY=VALUE` or `PLUGIN.KEY=VALUE`.
  private let given: [(key: String, value: String)]
  /// Asks the user; nil without a terminal.
  private let ask: ((String) -> String)?
  /// Asks for a secret without echo.
  private let askSecretly: (String) -> String

  init(given: [String], ask: ((String) -> String)?, askSecretly: @escaping (String) -> String) throws {
    self.askSecretly = askSecretly
    self.given = try given.map { text in
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
        throw ValidationError(
          "`--set` requires the form KEY=VALUE, such as `--set url=https://example.org/dav/`")
      }
      return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }
    self.ask = ask
  }

  /// Returns the answer to a separate question.
  ///
  /// - Parameters:
  ///   - prompt: the text before the input, after the question.
  ///   - option: the option that would have answered it.
  func answer(to question: String, at prompt: String = "", defaultAnswer: String?, option: String) throws -> String {
    let hint = defaultAnswer.map { " [\($0.isEmpty ? "none" : $0)]" } ?? ""
    guard let ask else {
      if let defaultAnswer { return defaultAnswer }
      throw ValidationError("\(question) Cannot ask without a terminal; use \(option)")
    }
    let answer = ask(question + prompt + hint)
    guard let chosen = answer.isEmpty ? defaultAnswer : answer else {
      throw ValidationError("\(question) An answer is required")
    }
    return chosen
  }

  /// Returns the chosen kind, by its name or its number in the list.
  func kind(of kinds: [RemoteKind], named name: String?, defaultAnswer: String) throws -> RemoteKind {
    var chosen = name
    if chosen == nil {
      let width = kinds.map(\.id.count).max() ?? 0
      let list = kinds.enumerated().map { number, kind in
        "  \(number + 1 < 10 ? " " : "")\(number + 1)  \(kind.id.padded(to: width))  \(kind.summary)\n"
      }
      chosen = try answer(
        to: list.joined() + "Sync with which kind of remote?", defaultAnswer: defaultAnswer, option: "--with")
    }
    if let number = chosen.flatMap({ Int($0) }), kinds.indices.contains(number - 1) { return kinds[number - 1] }
    if let kind = kinds.first(where: { $0.id == chosen }) { return kind }
    throw ValidationError(
      "there is no kind of remote \"\(chosen ?? "")\"; the kinds are \(kinds.map(\.id).joined(separator: ", "))")
  }

  /// Returns the settings of a kind's plugins: all that are given, and those that the setup asks for.
  func answers(for kind: RemoteKind) throws -> [SettingsDraft.Answer] {
    let settings = kind.plugins.flatMap { plugin in plugin.declarations.map { (plugin: plugin.id, declaration: $0) } }
    try refuseStrangers(Set(settings.flatMap { [$0.declaration.key, "\($0.plugin).\($0.declaration.key)"] }), kind)
    return try settings.compactMap { plugin, declaration in
      if declaration.form.isSecret { return try secret(for: declaration, of: plugin) }
      return try words(for: declaration, of: plugin).map {
        SettingsDraft.Answer(plugin: plugin, declaration: declaration, value: declaration.value(meantBy: $0))
      }
    }
  }

  /// Returns a secret's source, or the secret itself, which is only read from a terminal: other users can see a program's
  /// arguments, and shells store them.
  private func secret(for declaration: SettingDeclaration, of plugin: String) throws -> SettingsDraft.Answer? {
    let key = declaration.key
    if let words = givenWords(for: key, of: plugin) {
      guard let value = SecretAnswer.reference(words) else {
        throw ValidationError(
          "`--set \(key)=…` must say where the secret is kept: \(SecretAnswer.forms). To type the secret itself, run "
            + "`syncd init` in a terminal without this option")
      }
      return SettingsDraft.Answer(plugin: plugin, declaration: declaration, value: value)
    }
    guard ask != nil else {
      guard declaration.isRequired else { return nil }
      throw ValidationError(
        "`\(key)` is required. Cannot ask without a terminal; use `--set \(key)=…` with \(SecretAnswer.forms)")
    }
    guard declaration.isRequired || declaration.isAsked else { return nil }
    return try typedSecret(for: declaration, of: plugin)
  }

  private func typedSecret(for declaration: SettingDeclaration, of plugin: String) throws -> SettingsDraft.Answer? {
    let typed = askSecretly(
      "\(declaration.help) Enter the secret (not shown), or where it is kept: \(SecretAnswer.forms).\n  \(declaration.key)"
        + (declaration.isRequired ? "" : " [none]"))
    guard !typed.isEmpty else {
      if declaration.isRequired { throw ValidationError("\(declaration.help) An answer is required") }
      return nil
    }
    // A password may begin with a slash: only the forms with a colon are references here.
    let reference = typed.contains(":") && !["/", "~", ".", "{"].contains(where: typed.hasPrefix)
    if reference, let value = SecretAnswer.reference(typed) {
      return SettingsDraft.Answer(plugin: plugin, declaration: declaration, value: value)
    }
    return SettingsDraft.Answer(plugin: plugin, declaration: declaration, value: "", secret: typed)
  }

  private func givenWords(for key: String, of plugin: String) -> String? {
    given.last { $0.key == key || $0.key == "\(plugin).\(key)" }?.value
  }

  private func refuseStrangers(_ known: Set<String>, _ kind: RemoteKind) throws {
    for (key, _) in given where !known.contains(key) {
      throw ValidationError(
        "\"\(key)\" is not a setting of \(kind.id); `syncd backends \(kind.plugins.first?.id ?? "")` lists the settings"
      )
    }
  }

  private func words(for declaration: SettingDeclaration, of plugin: String) throws -> String? {
    let key = declaration.key
    if let value = givenWords(for: key, of: plugin) { return value }
    guard declaration.isRequired || declaration.isAsked && ask != nil else { return nil }
    let words = try answer(
      to: declaration.help, at: "\n  \(key)", defaultAnswer: declaration.isRequired ? nil : "",
      option: "`--set \(key)=…`")
    return words.isEmpty ? nil : words
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
