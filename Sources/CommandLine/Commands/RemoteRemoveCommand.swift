import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd remote remove`: removes a remote from the settings.
struct RemoteRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a remote from the settings file, which keeps its other comments.",
    discussion: "The files on the remote, the store and the history are not changed.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "The remote.", completion: .remotes) var name: String

  func run() throws {
    var edit = try SettingsEdit(of: common.settingsPath)
    _ = try edit.stores().remote(named: name)
    try edit.text.remove(["remotes", name])
    try edit.write()
    if common.json {
      return Console.print(json: ["version": 1, "settings": .string(edit.path), "remote": .string(name)])
    }
    if !common.quiet { Console.print("removed \(name) from \(edit.path); its files stay where they are") }
  }
}
