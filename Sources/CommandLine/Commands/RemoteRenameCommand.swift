import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd remote rename`: gives a remote another name in the settings.
struct RemoteRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a remote another name in the settings file, which keeps its comments.",
    discussion: """
      syncd knows remotes by their names, so the next pass treats the remote as new: it merges both sides and deletes \
      nothing. Files that were deleted on one side since the last pass come back. The history stays.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The remote.", completion: .remotes) var name: String
  @Argument(help: "Its new name.") var newName: String

  func validate() throws { try RemoteSetup.check(name: newName) }

  func run() throws {
    var edit = try SettingsEdit(of: common.settingsPath)
    let stores = try edit.stores()
    _ = try stores.remote(named: name)
    guard !stores.flatMap(\.remotes).contains(where: { $0.name == newName }) else {
      throw ValidationError("there is a remote \"\(newName)\" already")
    }
    try edit.text.rename(["remotes", name], to: newName)
    try edit.write()
    if common.json {
      return Console.print(json: ["version": 1, "settings": .string(edit.path), "remote": .string(newName)])
    }
    guard !common.quiet else { return }
    Console.print("renamed \(name) to \(newName) in \(edit.path); the next pass merges both sides and deletes nothing")
  }
}
