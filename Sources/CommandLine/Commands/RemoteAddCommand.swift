import ArgumentParser
import SettingsRegistry
import SyncDaemon
import SyncKit

/// `syncd remote add`: adds a remote to the settings.
struct RemoteAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a remote to the settings file, which keeps its comments.",
    discussion: "On a terminal, the command asks for what the options leave open.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var setup: RemoteSetup
  @Argument(help: "Name of the new remote.") var name: String

  func validate() throws { try RemoteSetup.check(name: name) }

  func run() async throws {
    let edit = try SettingsEdit(of: common.settingsPath)
    guard !edit.text.contains(["remotes", name]) else {
      throw ValidationError("there is a remote \"\(name)\" already; change it with `syncd remote edit \(name)`")
    }
    let stores = try edit.stores()
    let interview = try setup.interview()
    let store = try common.store(among: stores, interview)
    let draft = try await draft(interview, edit, store)
    let new = Self.adding(draft, to: edit)
    // The secrets come first: a file that names missing ones is of no use.
    try draft.writeSecrets(forFileAt: edit.path)
    try new.write().remote(named: name).makeFolders()
    if common.json {
      return Console.print(json: ["version": 1, "settings": .string(edit.path), "remote": .string(name)])
    }
    if !common.quiet { Console.print("added \(name) to \(edit.path); \(draft.nextStep)") }
  }

  private func draft(_ interview: Interview, _ edit: SettingsEdit, _ store: String?) async throws -> RemoteDraft {
    do {
      return try await setup.draft(
        named: name, store: store, interview,
        in: { String(decoding: Self.adding($0, to: edit).text.bytes, as: UTF8.self) },
        at: edit.path, check: { _ = try Self.adding($0, to: edit).stores() })
    } catch let error as SettingsError { throw edit.refusal(error, to: "add \(name)") }
  }

  /// Returns the edit with the tables of a remote at the end. If they are not valid TOML, as with a wrong value, the mistakes
  /// appear when the text is interpreted.
  private static func adding(_ draft: RemoteDraft, to edit: SettingsEdit) -> SettingsEdit {
    var edit = edit
    edit.text.append(draft.text)
    return edit
  }
}
