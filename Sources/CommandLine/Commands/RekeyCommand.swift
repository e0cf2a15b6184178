import ArgumentParser
import SealedStorage
import SyncDaemon
import SyncKit

/// `syncd rekey`: re-encrypts a remote.
struct RekeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Re-encrypt a remote: enable encryption, change the key or the format, or disable encryption.",
    discussion: """
      The settings say how the remote is to be encrypted. The settings file of --from says how it is encrypted now; \
      without --from the remote is not encrypted, or encrypted as the settings say. Keep the old key until the command has \
      finished. Run an interrupted command again; until it has finished, the remote is not synced. On every other device \
      run `syncd trust` with the fingerprint that this command prints.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "The settings file with which the remote was last encrypted.", completion: .file()) var from: String?
  @Flag(
    help: """
      Accept files of the former format that differ from what this device has. That format does not prove who wrote them.
      """) var acceptUnproven = false
  @Argument(help: "The remote.", completion: .remotes) var remote: String

  func run() async throws {
    let configuration = try common.configuration(ofRemote: self.remote)
    let former = try from.map { file in
      var common = common
      common.settings = file
      return try chosen(in: common.configuration(ofRemote: self.remote))
    }
    let remote = try chosen(in: configuration)
    let outcome = try await Workspace.with(configuration, .exclusive) { workspace in
      try await rekey(remote, from: former, in: workspace)
    }
    report(outcome)
    if !outcome.held.isEmpty || !outcome.unproven.isEmpty { throw ExitCode(PassResult.held.exitStatus) }
  }

  private func chosen(in configuration: DaemonConfiguration) throws -> RemoteConfiguration {
    try configuration.remote(named: remote)
  }

  private func rekey(
    _ remote: RemoteConfiguration, from former: RemoteConfiguration?, in workspace: Workspace
  ) async throws -> Rekeying.Outcome {
    let parts = try await workspace.stack.staged(remote)
    guard let storage = parts.storage, !remote.formatSeals, former?.formatSeals != true else {
      throw SyncError(
        .invalidSettings,
        "cannot re-encrypt \(remote.name): its format encrypts the files itself; change its password in the settings and "
          + "begin with an empty folder")
    }
    let agreed = AgreedVersions(
      base: try await workspace.archive.memory(of: remote.name).base,
      store: workspace.stack.presented(try await workspace.stack.openStore(), to: remote),
      archive: workspace.archive)
    let new = try await workspace.stack.cipher(of: remote, parts)
    let old = try await old(former, new, workspace, parts)
    guard old != nil || new != nil else {
      throw SyncError(
        .invalidSettings,
        "nothing to do: the remote \(remote.name) is not encrypted, and the settings name no `encryption`")
    }
    let job = Rekeying(
      storage, parts, from: old, to: new, acceptsUnproven: acceptUnproven,
      memory: Rekeying.Memory(
        agreed: { path throws(SyncError) in try await agreed[path] },
        holds: { path, digest throws(SyncError) in try await agreed.holds(digest, at: path) },
        keep: { path, digest throws(SyncError) in
          try await workspace.archive.keep([Version(remote: remote.name, path: path, digest: digest, side: .remote)])
        }))
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
    for path in outcome.removed {
      Console.error("syncd: \(path) had been removed and came back, as with a backup; removed again")
    }
    for path in outcome.unproven {
      Console.error("syncd: \(path) differs from what this device has, and its format does not prove who wrote it")
    }
    if !outcome.unproven.isEmpty {
      Console.error(
        "syncd: the remote keeps its former format and is not synced. Anyone who can write there could have forged these "
          + "files. Compare them with the device that edited them; then run the command again with --accept-unproven, or "
          + "delete them from the remote")
    }
    if common.json { return Console.print(json: json(outcome)) }
    guard !common.quiet else { return }
    Console.print("\(remote): re-encrypted \(outcome.sealed.counted("file")); \(outcome.done) done before")
    if let fingerprint = outcome.fingerprint {
      Console.print("\(remote): the fingerprint is \(fingerprint); on every other device run")
      Console.print("  syncd trust \(remote) \(fingerprint)")
    }
  }

  private func json(_ outcome: Rekeying.Outcome) -> JSON {
    [
      "version": 1, "remote": .string(remote), "adopted": .boolean(false), "sealed": .integer(outcome.sealed),
      "done": .integer(outcome.done),
      "held": .array(outcome.held.map { .string($0.description) }),
      "removed": .array(outcome.removed.map { .string($0.description) }),
      "unproven": .array(outcome.unproven.map { .string($0.description) }),
      "fingerprint": outcome.fingerprint.map(JSON.string) ?? .null,
    ]
  }
}

/// The versions that store and remote last agreed on, as far as this device still has them.
private struct AgreedVersions: Sendable {
  let base: Base
  let store: any Replica
  let archive: any Archive

  subscript(path: SyncPath) -> Content? {
    get async throws(SyncError) {
      guard let digest = base[path]?.digest else { return nil }
      if let content = try await archive.content(digest) { return content }
      guard case .read(let entry) = try await store.read(file: path, into: archive.intake(keepingAtMost: .max)),
        entry.digest == digest
      else { return nil }
      return try await archive.content(digest)
    }
  }

  /// Returns true if store and remote last agreed on this content, or the store contains it.
  func holds(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool {
    if base[path]?.digest == digest { return true }
    guard case .read(let entry)? = try await store.read([path], into: archive.intake(keepingAtMost: 0)).first else {
      return false
    }
    return entry.digest == digest
  }
}
