import ArgumentParser
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd rekey`: re-encrypts a remote.
struct RekeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Re-encrypt a remote: enable encryption, change the key, or disable it.",
    discussion: """
      The settings describe the encryption that the remote gets; --from names a settings file that describes the one it \
      has now. Without --from the remote is unencrypted, or encrypted as the settings say. Keep the old key until the \
      command has finished. After an interruption, run the same command again; until then the remote is not synced. If \
      another device has re-encrypted the remote already, this device only adopts the new key.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "Settings file that describes the current encryption.", completion: .file()) var from: String?
  @Argument(help: "Remote.") var remote: String

  func run() async throws {
    let configuration = try common.configuration()
    let former = try from.map { file in
      var common = common
      common.settings = file
      return try chosen(in: common.configuration())
    }
    let remote = try chosen(in: configuration)
    let outcome = try await Workspace.with(configuration, .exclusive) { workspace in
      try await rekey(remote, from: former, in: workspace)
    }
    report(outcome)
    if !outcome.held.isEmpty { throw ExitCode(PassResult.held.exitStatus) }
  }

  private func chosen(in configuration: DaemonConfiguration) throws -> RemoteConfiguration {
    guard let found = configuration.remotes.first(where: { $0.name == remote }) else {
      let names = configuration.remotes.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no remote \"\(remote)\" in \(configuration.file); the remotes are \(names)")
    }
    return found
  }

  private func rekey(
    _ remote: RemoteConfiguration, from former: RemoteConfiguration?, in workspace: Workspace
  ) async throws -> Rekeying.Outcome {
    let parts = try await workspace.stack.staged(remote)
    guard let storage = parts.storage, !remote.formatSeals, former?.formatSeals != true else {
      throw SyncError(
        .invalidSettings,
        "cannot re-encrypt \(remote.name): its format encrypts the files itself; change its password in the settings and begin with an empty folder"
      )
    }
    let agreed = AgreedVersions(
      base: try await workspace.archive.memory(of: remote.name).base, store: try await workspace.stack.openStore(),
      archive: workspace.archive)
    let new = try await workspace.stack.cipher(of: remote, parts)
    let old = try await old(former, new, workspace, parts)
    guard old != nil || new != nil else {
      throw SyncError(
        .invalidSettings,
        "nothing to do: the remote \(remote.name) is not encrypted, and the settings name no `encryption`")
    }
    let job = Rekeying(
      storage, parts, from: old, to: new, adopts: former == nil,
      agreed: { path throws(SyncError) in try await agreed[path] },
      keep: { path, digest throws(SyncError) in
        try await workspace.archive.keep([Version(remote: remote.name, path: path, digest: digest, side: .remote)])
      })
    return try await job.run()
  }

  private func old(
    _ former: RemoteConfiguration?, _ new: (any Cipher)?, _ workspace: Workspace, _ parts: RemoteParts
  ) async throws -> (any Cipher)? {
    if let former { return try await workspace.stack.cipher(of: former, parts) }
    return try await SealRecord(in: parts.journal) == nil ? nil : new
  }

  private func report(_ outcome: Rekeying.Outcome) {
    for path in outcome.held { Console.error("syncd: \(path) was not encrypted for this remote; ignored") }
    if common.json { return Console.print(json: json(outcome)) }
    guard !common.quiet else { return }
    if outcome.isAdopted {
      return Console.print("\(remote): adopted the key that another device has set")
    }
    Console.print("\(remote): re-encrypted \(outcome.sealed.counted("file")); \(outcome.done) done before")
  }
}

extension RekeyCommand {
  private func json(_ outcome: Rekeying.Outcome) -> JSON {
    [
      "version": 1, "remote": .string(remote), "adopted": .boolean(outcome.isAdopted),
      "sealed": .integer(outcome.sealed),
      "done": .integer(outcome.done), "held": .array(outcome.held.map { .string($0.description) }),
    ]
  }
}

/// The versions that store and remote last agreed on, as far as they are at hand.
private struct AgreedVersions: Sendable {
  let base: Base
  let store: any Replica
  let archive: any Archive

  subscript(path: SyncPath) -> Content? {
    get async throws(SyncError) {
      guard let digest = base[path]?.digest else { return nil }
      if let content = try await archive.content(digest) { return content }
      guard case .read(let entry)? = try await store.read([path], into: archive.intake(keepingAtMost: .max)).first,
        entry.digest == digest
      else { return nil }
      return try await archive.content(digest)
    }
  }
}
