import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd remote`: commands about the remotes in the settings.
struct RemoteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote", abstract: "Add, edit, remove and list remotes.",
    subcommands: [
      RemoteListCommand.self, RemoteAddCommand.self, RemoteEditCommand.self, RemoteRenameCommand.self,
      RemoteRemoveCommand.self, Reset.self,
    ])

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset",
      abstract: "Forget what was agreed with a remote, after its disk was replaced, emptied or restored from a backup.",
      discussion: """
        The next pass treats the remote as new: it merges both sides, gives the remote a new marker if it has none, and \
        deletes nothing. Files that were deleted on one side since the last pass come back. The files and the history of \
        previous versions are not changed. If the remote is encrypted, the next pass accepts the key that it finds there.
        """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The remote.", completion: .remotes) var remote: String

    func run() async throws {
      let configuration = try common.configuration(ofRemote: remote)
      let name = try configuration.remote(named: remote).name
      let forgotten = try await Workspace.with(configuration, .exclusive) { try await $0.reset(name) }
      if common.json {
        return Console.print(json: ["version": 1, "remote": .string(name), "forgotten": .integer(forgotten.files)])
      }
      guard !common.quiet else { return }
      Console.print(
        "forgot what was agreed with \(name) (\(forgotten.files.counted("file"))); the next pass merges both sides and deletes "
          + "nothing")
      if forgotten.isEncrypted {
        Console.print("the next pass accepts the key that it finds there; compare its fingerprint with another device")
      }
    }
  }
}
