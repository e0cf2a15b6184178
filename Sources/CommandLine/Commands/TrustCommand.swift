import ArgumentParser
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd trust`: accepts another key of an encrypted remote.
struct TrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Accept the new key of an encrypted remote, after comparing its fingerprint.",
    discussion: """
      A device accepts the first key that it finds in a remote, and stops when it finds another one: `syncd rekey` on one \
      of your devices made it, or an attacker did. Read the fingerprint on the device that ran `syncd rekey`, where \
      `syncd status` shows it, and give it here.
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "The remote.", completion: .remotes) var remote: String
  @Argument(help: "The fingerprint, as another device shows it.") var fingerprint: String

  func run() async throws {
    let configuration = try common.configuration(ofRemote: remote)
    let remote = try configuration.remote(named: remote)
    try await Workspace.with(configuration, .exclusive) { try await Self.accept(fingerprint, of: remote, in: $0) }
    if !common.quiet { Console.print("\(remote.name): the key is accepted") }
  }

  /// Accepts the key of a remote if it has this fingerprint.
  static func accept(_ fingerprint: String, of remote: RemoteConfiguration, in workspace: Workspace) async throws {
    let parts = try await workspace.stack.staged(remote)
    guard let storage = parts.storage, !remote.formatSeals,
      let cipher = try await workspace.stack.cipher(of: remote, parts)
    else {
      throw SyncError(
        .invalidSettings, "the settings do not encrypt the remote \(remote.name); it has no fingerprint")
    }
    try await KeyTrust(storage, parts, cipher).accept(fingerprint)
  }
}
