import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd rekey`: seals a remote anew.
struct RekeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Seal everything in a remote anew: for the first time, with another key, or no longer.",
    discussion: """
      The settings say how the remote shall be sealed. How it is sealed now is in the settings file of --from; without it \
      the remote is readable, or sealed as the settings say. The old key is needed until the end. A job that was \
      interrupted goes on where it ended when it is run again; until then the remote is not synced. Where another device \
      has done it already, the remote's new key is taken over and nothing else.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "The settings file as it was when the remote was last sealed.", completion: .file()) var from: String?
  @Argument(help: "The remote.") var remote: String

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
      throw ValidationError("there is no remote \"\(remote)\" in \(configuration.file); there is \(names)")
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
        "the remote \(remote.name) is in a format that seals its files by itself; there is nothing to do")
    }
    let agreed = AgreedVersions(
      base: try await workspace.archive.memory(of: remote.name).base, store: try await workspace.stack.openStore(),
      archive: workspace.archive)
    let new = try await workspace.stack.cipher(of: remote, parts)
    let old = try await old(former, new, workspace, parts)
    guard old != nil || new != nil else {
      throw SyncError(
        .invalidSettings,
        "the remote \(remote.name) is not sealed, and the settings do not say that it shall be; there is nothing to do")
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
    for path in outcome.held { Console.error("syncd: \(path) was not sealed for this remote; it is left as it is") }
    if common.json { return Console.print(json: json(outcome)) }
    guard !common.quiet else { return }
    if outcome.isAdopted {
      return Console.print("\(remote): the key that another device has made is the remote's from now on")
    }
    Console.print("\(remote): \(outcome.sealed) files sealed anew, \(outcome.done) were already")
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
