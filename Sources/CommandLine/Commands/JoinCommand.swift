import ArgumentParser
import SealedStorage
import SettingsRegistry
import SyncDaemon
import SyncKit

/// `syncd join`: writes the settings of an invitation.
struct JoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Set up the remotes of an invitation from another device.",
    discussion: """
      Creates the settings file, or adds the remotes to it. On a terminal, the command asks for the store and the passwords, \
      and contacts the remotes before it writes anything. If a remote is encrypted, only the key with the fingerprint in the \
      invitation is accepted.
      """)

  @OptionGroup var common: CommonOptions
  @Option(
    help: "Setting of a remote, as KEY=VALUE; for a secret, file:PATH, command:PROGRAM, env:NAME or keyring:NAME.")
  var set: [String] = []
  @Argument(help: "The invitation, as `syncd invite` prints it.") var invitation: String

  func run() async throws {
    let invitation = try Invitation(uri: invitation)
    let invited = invitation.remotes
    let path = common.settingsPath
    let edit = LocalFile.exists(path) ? try SettingsEdit(of: path) : nil
    guard !invited.isEmpty else { throw SyncError(.invalidSettings, "the invitation has no remotes") }
    for remote in invited where edit?.text.contains(["remotes", remote.name]) == true {
      throw SyncError(
        .invalidSettings, "\(path) has a remote \"\(remote.name)\" already; rename it with `syncd remote rename`")
    }
    let secrets = try invitation.sealed.map(secrets) ?? [:]
    let interview = try RemoteSetup.interview(given: set)
    let store = try edit.flatMap { try common.store(among: $0.stores(), interview) }
    let drafts = try invited.map { remote in
      var draft = try remote.draft(Program.registry, secrets)
      if let store { draft.own.append(("store", TOMLValue.string(store).text)) }
      return draft
    }
    let former = try edit.map { String(decoding: $0.text.bytes, as: UTF8.self) } ?? newFile(interview, path)
    let (completed, text) = try await complete(drafts, invited, interview, after: former, at: path)
    let stores = try FirstContact.stores(text, at: path)
    for draft in completed { try draft.writeSecrets(forFileAt: path) }
    try await pin(invited, stores)
    try write(text, over: edit, at: path)
    if interview.isOnTerminal { for root in stores.compactMap(\.store.root) { try LocalFile.makeFolder(root) } }
    try await finish(invited, stores, interview)
  }

  /// Writes the settings, unless another program has changed the file since it was read.
  private func write(_ text: String, over edit: SettingsEdit?, at path: String) throws {
    if var edit {
      edit.text = try TOMLText(Array(text.utf8), file: path)
      try edit.write()
      return
    }
    guard !LocalFile.exists(path) else {
      throw SyncError(.changedMeanwhile, "another program has just created \(path); run the command again")
    }
    try LocalFile.makeFolder(ofFile: path)
    try LocalFile.write(Array(text.utf8), to: path)
  }

  /// Asks for the passphrase of the secrets until it is right.
  private func secrets(in sealed: SealedSecrets) throws -> [String: String] {
    guard Console.canAsk else {
      throw ValidationError("this invitation has a passphrase; run `syncd join` in a terminal")
    }
    while let typed = SecretPrompt.answer(to: "Passphrase of the invitation (not shown).\n  passphrase") {
      if let secrets = try sealed.opened(with: typed) { return secrets }
      Console.error("The passphrase is wrong.")
    }
    throw ValidationError("the invitation has a passphrase, and none was given")
  }

  /// Returns the beginning of a new settings file.
  private func newFile(_ interview: Interview, _ path: String) throws -> String {
    let store = try common.store ?? interview.store(folder: { try InitCommand.folder(ofStore: $0, path) })
    return RemoteDraft.head(store: store)
  }

  /// Asks for what the invitation leaves open, and returns the remotes and the text of the settings.
  private func complete(
    _ drafts: [RemoteDraft], _ invited: [Invitation.Remote], _ interview: Interview, after former: String,
    at path: String
  ) async throws -> ([RemoteDraft], String) {
    try interview.refuseUnknown(in: drafts)
    if interview.isOnTerminal {
      for draft in drafts { Console.error("\(draft.remote):\n\(draft.text)") }
      guard try interview.confirms("Contact these addresses, and sync your files with them?", key: "join") else {
        throw SyncError(.cancelled, "nothing was written")
      }
    }
    var text = former
    var completed: [RemoteDraft] = []
    for (draft, remote) in zip(drafts, invited) {
      var draft = draft
      draft.answers = try interview.answers(for: draft, missing: remote.questions(for: draft))
      let before = text
      draft = try await FirstContact.accepted(
        draft, interview, in: { RemoteDraft.appending($0, to: before) }, at: path,
        check: { _ = try FirstContact.stores(RemoteDraft.appending($0, to: before), at: path) })
      text = RemoteDraft.appending(draft, to: text)
      completed.append(draft)
    }
    return (completed, text)
  }

  /// Creates the folders of the remotes, and offers the first steps on a terminal.
  private func finish(
    _ invited: [Invitation.Remote], _ stores: [DaemonConfiguration], _ interview: Interview
  ) async throws {
    let remotes = try invited.map { try stores.remote(named: $0.name) }
    for remote in remotes { remote.makeFolders() }
    if common.json {
      return Console.print(
        json: [
          "version": 1, "settings": .string(common.settingsPath),
          "remotes": .array(invited.map { .string($0.name) }),
        ])
    }
    guard !common.quiet else { return }
    Console.print(
      "joined \(invited.map(\.name).joined(separator: ", ")) in \(common.settingsPath); next, run `syncd --once --dry-run` to see "
        + "the plan and `syncd --once` to sync")
    guard interview.isOnTerminal else { return }
    for remote in remotes {
      try await FirstSteps(stores.store(ofRemote: remote.name), common, remote.name).offer(interview)
    }
  }

  /// Records the fingerprints of encrypted remotes before the settings exist: no sync accepts another key. Compares them at once
  /// with the remotes that answer.
  private func pin(_ invited: [Invitation.Remote], _ stores: [DaemonConfiguration]) async throws {
    for invited in invited {
      guard let fingerprint = invited.fingerprint else { continue }
      let store = try stores.store(ofRemote: invited.name)
      let remote = try store.remote(named: invited.name)
      try await Workspace.with(store, .exclusive) { workspace in
        try await SealRecord.expect(fingerprint, in: workspace.archive.journal(of: remote.name))
        do { try await TrustCommand.accept(fingerprint, of: remote, in: workspace) } catch let error as SyncError
          where error.code != .wrongReplica
        {
          Console.error("\(remote.name) does not answer; the first sync compares its key: \(error.message)")
        }
      }
    }
  }
}
