import ArgumentParser
import SettingsRegistry
import SyncDaemon
import SyncKit

/// Collects the answers for `syncd init` and `syncd remote add`: from options, and on a terminal by asking for the others. After a
/// mistake it asks again.
struct Interview {
  /// The values of `--set`, in order: `KEY=VALUE` or `PLUGIN.KEY=VALUE`.
  private let given: [(key: String, value: String)]
  /// Asks the user, and returns nil at the end of the input; nil without a terminal.
  private let ask: ((String) -> String?)?
  /// Asks for a secret without echo, and returns nil at the end of the input.
  private let askSecretly: (String) -> String?

  init(given: [String], ask: ((String) -> String?)?, askSecretly: @escaping (String) -> String?) throws {
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
    while let answer = ask(question + prompt + hint) {
      if let chosen = answer.isEmpty ? defaultAnswer : answer { return chosen }
      Console.error("An answer is required.")
    }
    throw ValidationError("\(question) An answer is required")
  }

  /// Returns the chosen kind, by its name or its number in the list.
  func kind(of kinds: [RemoteKind], named name: String?, defaultAnswer: String) throws -> RemoteKind {
    if let name { return try Self.kind(name, of: kinds) }
    let width = kinds.map(\.id.count).max() ?? 0
    let list = kinds.enumerated().map { number, kind in
      "  \(number + 1 < 10 ? " " : "")\(number + 1)  \(kind.id.padded(to: width))  \(kind.summary)\n"
    }
    var question = list.joined() + "Sync with which kind of remote?"
    while true {
      let chosen = try answer(to: question, defaultAnswer: defaultAnswer, option: "--with")
      do { return try Self.kind(chosen, of: kinds) } catch {
        guard ask != nil else { throw error }
        question = "Unknown kind \"\(chosen)\". Enter a name or number from the list."
      }
    }
  }

  private static func kind(_ chosen: String, of kinds: [RemoteKind]) throws -> RemoteKind {
    if let number = Int(chosen), kinds.indices.contains(number - 1) { return kinds[number - 1] }
    if let kind = kinds.first(where: { $0.id == chosen }) { return kind }
    let nearest = kinds.map(\.id).nearest(to: chosen).map { " (did you mean \"\($0)\"?)" } ?? ""
    throw ValidationError(
      "unknown kind of remote \"\(chosen)\"\(nearest); the kinds are \(kinds.map(\.id).joined(separator: ", "))")
  }

  /// True if the user can be asked.
  var isOnTerminal: Bool { ask != nil }

  /// Returns the encryption of a remote; nil for none. Without a terminal the default is none.
  func encryption(
    of kinds: [any EncryptionBackend.Type], named name: String?
  ) throws -> (any EncryptionBackend.Type)? {
    let ids = [Registry.none] + kinds.map { $0.id }
    let list = ids.joined(separator: ", ")
    guard name != nil || ask != nil && !kinds.isEmpty else { return nil }
    let question = "Encrypt the files on the remote, so that its provider cannot read them? \(list)"
    let chosen = try name ?? choice(question, key: "encryption", of: ids)
    guard ids.contains(chosen) else {
      throw ValidationError("the remote does not support the encryption \"\(chosen)\"; use \(list)")
    }
    return kinds.first { $0.id == chosen }
  }

  /// Returns the store of a remote.
  func store(among names: [String]) throws -> String {
    try choice("Which store to sync? \(names.joined(separator: ", "))", key: "store", of: names)
  }

  /// What to do about a remote that cannot be used with the answers.
  enum FailedCheck: String, CaseIterable {
    case correct, again, keep
  }

  /// Asks what to do about a failed check.
  func failedCheck() throws -> FailedCheck {
    let chosen = try choice(
      "The check failed. `correct` asks for the settings again, `again` repeats the check, `keep` keeps the settings.",
      key: "next", of: FailedCheck.allCases.map(\.rawValue))
    return FailedCheck(rawValue: chosen) ?? .keep
  }

  /// Returns true if the user agrees, which is the default; false at the end of the input.
  func agrees(to question: String, key: String) -> Bool {
    offered("\(question) yes, no", key: key, of: ["yes", "no"]) == "yes"
  }

  /// Returns true if the user agrees; the default is no.
  func confirms(_ question: String, key: String) throws -> Bool {
    try choice("\(question) no, yes", key: key, of: ["no", "yes"]) == "yes"
  }

  private func choice(_ question: String, key: String, of answers: [String]) throws -> String {
    if let chosen = offered(question, key: key, of: answers) { return chosen }
    throw ValidationError("\(question) An answer is required")
  }

  /// Returns one of several answers, which may be abbreviated; the first one is the default. Returns nil at the end of the input.
  private func offered(_ question: String, key: String, of answers: [String]) -> String? {
    while let typed = ask?("\(question)\n  \(key) [\(answers[0])]") {
      if typed.isEmpty { return answers[0] }
      if let exact = answers.first(where: { $0 == typed }) { return exact }
      let meant = answers.filter { $0.hasPrefix(typed.lowercased()) }
      if let only = meant.first, meant.count == 1 { return only }
      Console.error("Answer with one of \(answers.joined(separator: ", ")).")
    }
    return nil
  }

  /// Returns the folder of the store. On a terminal it must exist, or the user agrees that it will be created.
  ///
  /// - Parameter folder: returns the path that an answer means; throws what is wrong with it.
  func store(folder: (String) throws -> String) throws -> String {
    while true {
      let store = try answer(to: "Where are your Org files?", defaultAnswer: "~/org", option: "--store")
      guard ask != nil else { return store }
      do {
        let path = try folder(store)
        if LocalFile.isFolder(path) { return store }
        if LocalFile.exists(path) {
          Console.error("\(path) is not a folder.")
        } else if agrees(to: "\(path) does not exist. Create it?", key: "create") {
          return store
        }
      } catch let error as SettingsError {
        Console.error(error.diagnostics.map(\.message).joined(separator: "; ") + ".")
      }
    }
  }

  /// Returns the settings of a kind's plugins: all that are given, and those that the setup asks for.
  /// The answers of the draft are the defaults.
  func answers(for draft: RemoteDraft) throws -> [RemoteDraft.Answer] {
    let questions = draft.questions
    try refuseUnknown(
      Set(questions.flatMap { [$0.declaration.key, "\($0.plugin).\($0.declaration.key)"] }), draft.kind)
    return try questions.compactMap { question in
      try signInFile(for: question, in: draft) ?? answer(for: question, formerly: draft.answer(to: question))
    }
  }

  /// Returns the answers of a draft from another device, with the given ones, those that are required, and the secrets
  /// `missing`.
  func answers(for draft: RemoteDraft, missing: [RemoteDraft.Question]) throws -> [RemoteDraft.Answer] {
    try draft.questions.compactMap { question in
      let isGiven = givenText(for: question) != nil
      if !isGiven, let answer = draft.answer(to: question) ?? signInFile(for: question, in: draft) { return answer }
      guard isGiven || question.declaration.isRequired || missing.contains(where: { $0.isSame(as: question) }) else {
        return nil
      }
      guard !isGiven, !question.declaration.isRequired else { return try answer(for: question) }
      guard ask != nil else {
        throw ValidationError(
          "`\(question.declaration.key)` of \(draft.remote) is not in the invitation. Cannot ask without a terminal; use "
            + "`--set \(question.declaration.key)=…` with \(SecretAnswer.forms)")
      }
      return try typedSecret(for: question, formerly: nil)
    }
  }

  /// Throws a usage error if a given setting belongs to none of the remotes.
  func refuseUnknown(in drafts: [RemoteDraft]) throws {
    let known = Set(
      drafts.flatMap(\.questions).flatMap { [$0.declaration.key, "\($0.plugin).\($0.declaration.key)"] })
    for (key, _) in given where !known.contains(key) {
      throw ValidationError("\"\(key)\" is not a setting of the invitation's remotes")
    }
  }

  /// Returns the place of a secret that a sign-in will write; nil if the secret has another source.
  private func signInFile(for question: RemoteDraft.Question, in draft: RemoteDraft) -> RemoteDraft.Answer? {
    guard ask != nil, question.declaration.form.isSecret, givenText(for: question) == nil,
      let plugin = draft.kind.plugins.first(where: { $0.id == question.plugin && RemoteKind.needsLogin($0) }),
      let signIn = plugin as? any SigningIn.Type,
      signIn.signInSetting.map({ $0 == question.declaration.key }) ?? question.declaration.isRequired
    else { return nil }
    let file = RemoteDraft.secretFile(remote: draft.remote, question)
    return RemoteDraft.Answer(to: question, value: "{ file = \(TOMLValue.string(file).text) }")
  }

  private func answer(
    for question: RemoteDraft.Question, formerly former: RemoteDraft.Answer? = nil
  ) throws -> RemoteDraft.Answer? {
    if question.declaration.form.isSecret { return try secret(for: question, formerly: former) }
    let isAsked = question.declaration.isRequired || question.declaration.isAsked && ask != nil
    guard isAsked || givenText(for: question) != nil else { return former }
    guard let text = try text(for: question, formerly: former) else { return former?.text == nil ? former : nil }
    return RemoteDraft.Answer(to: question, value: question.declaration.value(meantBy: text), text: text)
  }

  /// Asks again for the answers of a draft that `check` refuses, until it accepts the draft. The other answers stay.
  ///
  /// - Parameter file: the text of the settings file with the draft.
  func corrected(
    _ draft: RemoteDraft, in file: (RemoteDraft) -> String, check: (RemoteDraft) throws -> Void
  ) throws -> RemoteDraft {
    var draft = draft
    while true {
      do {
        try check(draft)
        return draft
      } catch let error as SettingsError {
        let text = file(draft)
        let mistakes = error.diagnostics.map { mistake in
          (mistake, draft.questions(toCorrect: mistake, in: text).filter(isAsked))
        }
        guard ask != nil, mistakes.allSatisfy({ !$0.1.isEmpty }) else { throw error }
        for (mistake, questions) in mistakes { try correct(&draft, mistake, by: questions) }
      }
    }
  }

  private func correct(
    _ draft: inout RemoteDraft, _ mistake: Diagnostic, by questions: [RemoteDraft.Question]
  ) throws {
    let hint = mistake.suggestion.map { " (did you mean \"\($0)\"?)" } ?? ""
    Console.error("\(questions.map(\.declaration.key).joined(separator: ", ")): \(mistake.message)\(hint).")
    for question in questions {
      draft.setAnswer(try answer(for: question), to: question)
    }
  }

  /// Returns true if a setting is asked for, and no option answers it.
  private func isAsked(_ question: RemoteDraft.Question) -> Bool {
    (question.declaration.isRequired || question.declaration.isAsked)
      && givenText(for: question) == nil
  }

  /// Returns a secret's source, or the secret itself, which is only read from a terminal: other users can see a program's
  /// arguments, and shells store them.
  private func secret(
    for question: RemoteDraft.Question, formerly former: RemoteDraft.Answer?
  ) throws -> RemoteDraft.Answer? {
    let (key, declaration) = (question.declaration.key, question.declaration)
    if let given = givenText(for: question) {
      guard let value = SecretAnswer.reference(given) else {
        throw ValidationError(
          "`--set \(key)=…` must say where the secret is kept: \(SecretAnswer.forms). To type the secret itself, run "
            + "`syncd init` in a terminal without this option")
      }
      return RemoteDraft.Answer(to: question, value: value)
    }
    guard ask != nil else {
      guard declaration.isRequired else { return former }
      throw ValidationError(
        "`\(key)` is required. Cannot ask without a terminal; use `--set \(key)=…` with \(SecretAnswer.forms)")
    }
    guard declaration.isRequired || declaration.isAsked else { return former }
    return try typedSecret(for: question, formerly: former)
  }

  private func typedSecret(
    for question: RemoteDraft.Question, formerly former: RemoteDraft.Answer?
  ) throws -> RemoteDraft.Answer? {
    let declaration = question.declaration
    let hint = former != nil ? " [as before]" : declaration.isRequired ? "" : " [none]"
    let prompt =
      "\(declaration.help) Enter the secret (not shown), or where it is kept: \(SecretAnswer.forms).\n  \(declaration.key)"
    while let typed = askSecretly(prompt + hint) {
      if !typed.isEmpty { return answer(typed: typed, to: question) }
      guard former == nil, declaration.isRequired else { return former }
      Console.error("An answer is required.")
    }
    throw ValidationError("\(declaration.help) An answer is required")
  }

  private func answer(typed: String, to question: RemoteDraft.Question) -> RemoteDraft.Answer {
    // A password may begin with a slash: only the forms with a colon are references here.
    let reference = typed.contains(":") && !["/", "~", ".", "{"].contains(where: typed.hasPrefix)
    if reference, let value = SecretAnswer.reference(typed) { return RemoteDraft.Answer(to: question, value: value) }
    return RemoteDraft.Answer(to: question, value: "", secret: typed)
  }

  private func givenText(for question: RemoteDraft.Question) -> String? {
    let key = question.declaration.key
    return given.last { $0.key == key || $0.key == "\(question.plugin).\(key)" }?.value
  }

  private func refuseUnknown(_ known: Set<String>, _ kind: RemoteKind) throws {
    for (key, _) in given where !known.contains(key) {
      throw ValidationError(
        "\"\(key)\" is not a setting of \(kind.id); `syncd backends \(kind.plugins.first?.id ?? "")` lists the settings"
      )
    }
  }

  private func text(for question: RemoteDraft.Question, formerly former: RemoteDraft.Answer?) throws -> String? {
    let declaration = question.declaration
    if let value = givenText(for: question) { return value }
    let text = try answer(
      to: declaration.help, at: "\n  \(declaration.key)",
      defaultAnswer: former?.text ?? (declaration.isRequired ? nil : ""), option: "`--set \(declaration.key)=…`")
    return text.isEmpty ? nil : text
  }
}
