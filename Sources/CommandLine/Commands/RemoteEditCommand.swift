import ArgumentParser
import SettingsRegistry
import SyncDaemon
import SyncKit

/// `syncd remote edit`: changes settings of a remote.
struct RemoteEditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change settings of a remote in the settings file, which keeps its comments.",
    discussion: """
      `syncd settings show` shows the values in effect, and `syncd backends ID` the settings of a module. A setting of a \
      module can be written with the module's name, such as age.identity-file.
      """)

  @OptionGroup var common: CommonOptions
  @Option(
    help:
      "Setting and its value, as KEY=VALUE; for a secret, file:PATH, command:PROGRAM, env:NAME or keyring:NAME. Repeatable."
  )
  var set: [String] = []
  @Option(help: "Setting to remove, so that its default applies. Repeatable.") var unset: [String] = []
  @Argument(help: "The remote.", completion: .remotes) var name: String

  func validate() throws {
    guard !set.isEmpty || !unset.isEmpty else { throw ValidationError("choose --set KEY=VALUE or --unset KEY") }
  }

  func run() throws {
    var edit = try SettingsEdit(of: common.settingsPath)
    let remote = try edit.stores().remote(named: name)
    let assignments = try set.map(Self.assignment)
    let keys = RemoteKeys(of: remote, and: assignments)
    for (key, words) in assignments {
      let setting = try keys.setting(key)
      let value = try Self.value(words, for: setting.declaration)
      let former = edit
      try former.refusingMistakes(to: "change \(name)") { try edit.text.set(value, at: setting.path) }
    }
    for key in unset {
      guard try edit.text.remove(keys.setting(key).path) else {
        throw ValidationError("`\(key)` of \(name) is not in \(edit.path); its default applies already")
      }
    }
    let stores = try edit.refusingMistakes(to: "change \(name)") { try edit.write() }
    if common.json {
      return Console.print(json: ["version": 1, "settings": .string(edit.path), "remote": .string(name)])
    }
    guard !common.quiet else { return }
    Console.print("changed \(name) in \(edit.path)")
    if try stores.remote(named: name).settings.encryption != remote.settings.encryption {
      Console.print("run `syncd rekey \(name)` to rewrite the files on the remote with the new encryption")
    }
  }

  private static func assignment(_ text: String) throws -> (key: String, words: String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ValidationError("`--set` requires the form KEY=VALUE, such as `--set mode=send`")
    }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  /// Returns the value in TOML. A secret itself is refused: other users can see a program's arguments, and shells store them.
  private static func value(_ words: String, for declaration: SettingDeclaration) throws -> String {
    guard declaration.form.isSecret else { return declaration.value(meantBy: words) }
    guard let value = SecretAnswer.reference(words) else {
      throw ValidationError("`--set \(declaration.key)=…` must say where the secret is kept: \(SecretAnswer.forms)")
    }
    return value
  }
}

/// The settings that a remote can have.
private struct RemoteKeys {
  let name: String
  /// The modules of the remote, and those that the new settings choose.
  private let plugins: [any Plugin.Type]

  init(of remote: RemoteConfiguration, and assignments: [(key: String, words: String)]) {
    name = remote.name
    let chosen = assignments.filter { ["sync", "cloud", "encryption"].contains($0.key) }.map(\.words)
    let current = [remote.sync, remote.cloud, remote.encryption].compactMap { $0?.type }
    plugins = current + Program.registry.plugins.filter { chosen.contains($0.id) }
  }

  /// Returns the place and the declaration of a setting; throws a usage error if the remote has no such setting.
  func setting(_ key: String) throws -> (path: [String], declaration: SettingDeclaration) {
    if let declaration = RemoteSettings.declarations.first(where: { $0.key == key }) {
      return (["remotes", name, key], declaration)
    }
    for plugin in plugins {
      for declaration in plugin.declarations where [declaration.key, "\(plugin.id).\(declaration.key)"].contains(key) {
        return (["remotes", name, plugin.id, declaration.key], declaration)
      }
    }
    let known = RemoteSettings.declarations.map(\.key) + plugins.flatMap { $0.declarations.map(\.key) }
    let nearest = known.nearest(to: key).map { "; did you mean \"\($0)\"?" }
    throw ValidationError(
      "\"\(key)\" is not a setting of \(name)" + (nearest ?? "; the settings are \(known.joined(separator: ", "))"))
  }
}
