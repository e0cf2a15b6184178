import SettingsRegistry
import SyncDaemon
import SyncKit

extension Invitation.Remote {
  /// Returns the remote for a settings file, with the given secrets. Throws if it has settings that are not shareable.
  func draft(_ registry: Registry, _ secrets: [String: String]) throws -> RemoteDraft {
    try RemoteSetup.check(name: name)
    guard var kind = RemoteKind.all(of: registry).first(where: { $0.sync.id == sync && $0.cloud?.id == cloud }) else {
      throw refusal("this syncd has no remotes of the kind \([sync, cloud].compactMap(\.self).joined(separator: "/"))")
    }
    kind.encryption = kind.encryptions(of: registry).first { $0.id == encryption }
    guard kind.encryption?.id == encryption else {
      throw refusal("this syncd does not support the encryption \(encryption ?? "")")
    }
    var draft = RemoteDraft(remote: name, kind: kind)
    let tables = Set([""] + kind.plugins.map { $0.id })
    if let table = settings.keys.first(where: { !tables.contains($0) }) { throw refusal("it has no table \(table)") }
    draft.own = try values(in: "", of: RemoteSettings.declarations).map { ($0.key, $1.toml) }
    for plugin in kind.plugins {
      draft.answers += try values(in: plugin.id, of: plugin.declarations).map { declaration, value in
        RemoteDraft.Answer(plugin: plugin.id, declaration: declaration, value: value.toml, text: value.text)
      }
    }
    for question in draft.questions where question.declaration.isSecret {
      guard let secret = secrets[SealedSecrets.name(name, question.plugin, question.declaration.key)] else { continue }
      draft.setAnswer(RemoteDraft.Answer(to: question, value: "", secret: secret), to: question)
    }
    return draft
  }

  /// Returns the values of a table in the order of the declarations.
  private func values(
    in table: String, of declarations: [SettingDeclaration]
  ) throws -> [(SettingDeclaration, Invitation.Value)] {
    let values = settings[table] ?? [:]
    for key in values.keys.sorted() {
      guard let declaration = declarations.first(where: { $0.key == key }) else {
        throw refusal("unknown setting `\(key)`; update syncd")
      }
      guard declaration.isShareable, table != "" || !Self.selectors.contains(key) else {
        throw refusal("an invitation must not contain `\(key)`")
      }
      try refuseUnsafe(values[key]?.texts ?? [], of: declaration)
    }
    return declarations.compactMap { declaration in values[declaration.key].map { (declaration, $0) } }
  }

  /// Throws if a text refers to a variable of this device, whose value it would send to the remote, or to a hidden local folder,
  /// where programs have their keys and settings.
  private func refuseUnsafe(_ texts: [String], of declaration: SettingDeclaration) throws {
    if texts.contains(where: { $0.contains("${") }) {
      throw refusal("`\(declaration.key)` must not contain a variable")
    }
    guard declaration.isLocalFolder else { return }
    if texts.contains(where: { $0.split(separator: "/").contains { $0.hasPrefix(".") } }) {
      throw refusal("`\(declaration.key)` must not be a hidden folder; if it is right, use `syncd remote add`")
    }
  }

  private func refusal(_ reason: String) -> SyncError {
    SyncError(.invalidSettings, "cannot join \(name): \(reason). Nothing was written")
  }

  /// The secrets that the user must provide.
  func questions(for draft: RemoteDraft) -> [RemoteDraft.Question] {
    draft.questions.filter { $0.declaration.isSecret && secrets[$0.plugin]?.contains($0.declaration.key) == true }
  }
}

extension Invitation.Value {
  /// The value as a user types it; nil for a list.
  fileprivate var text: String? {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let value): value
    case .texts: nil
    }
  }

  /// All texts of the value.
  fileprivate var texts: [String] {
    switch self {
    case .boolean, .integer, .number: []
    case .text(let value): [value]
    case .texts(let values): values
    }
  }
}
