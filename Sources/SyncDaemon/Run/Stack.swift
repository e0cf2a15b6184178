import Logging
import SealedStorage
import SubtreeSelection
package import SyncKit

/// Opens the plugins in the settings and combines them: the only place where a stack is built.
package struct Stack {
  let configuration: DaemonConfiguration
  let archive: any Archive
  let device: Device
  let logger: Logger
  /// True if nothing may be changed, as in a dry run.
  let isReadOnly: Bool
  var runtime = Runtime.real
  /// The store if it is open already.
  var openedStore: (any Replica)?

  /// Opens the store as a replica.
  package func openStore() async throws(SyncError) -> any Replica {
    if let openedStore { return openedStore }
    let plugin = try configuration.store.plugin.made(as: (any InternalStorage).self)
    // The name of a table in [stores] contains a full stop, so it is not the name of a remote.
    return try await plugin.open(parts(configuration.storeTable))
  }

  /// Repairs the store, if its kind can be repaired.
  func repairStore(agreed: [SyncPath: Digest]) async throws(SyncError) -> StoreRepair? {
    let plugin = try configuration.store.plugin.made(as: (any InternalStorage).self)
    return try await plugin.repair(parts(configuration.storeTable), agreed: agreed)
  }

  /// Returns the part of the store that a remote is synced with; nil for whole files.
  func view(for remote: RemoteConfiguration) -> SyncSession.StoreView? {
    remote.match.map { rule in
      SyncSession.StoreView(include: MatchRule.patterns) { [isReadOnly] store, files, parts in
        MatchingStore(store, rule, parts, files: files, isReadOnly: isReadOnly)
      }
    }
  }

  /// Returns `store` as a remote has it: with only the subtrees that match, if its settings say so.
  package func presented(_ store: any Replica, to remote: RemoteConfiguration) -> any Replica {
    view(for: remote)?.present(store, WholeFiles(), parts(remote.name)) ?? store
  }

  /// Returns what a remote with `match` has of a file, as text for people; nil for a remote with whole files.
  package func selection(
    of path: SyncPath, in store: any Replica, for remote: RemoteConfiguration
  ) async throws(SyncError) -> (text: String, isEmpty: Bool)? {
    guard let rule = remote.match else { return nil }
    return try await MatchingStore(store, rule, parts(remote.name), isReadOnly: true).selection(of: path)
  }

  /// Opens the remote as a replica.
  package func open(_ remote: RemoteConfiguration) async throws(SyncError) -> any Replica {
    var parts = try await staged(remote)
    try await encrypt(&parts, as: remote)
    return try await remote.sync.made(as: (any SyncBackend).self).open(parts)
  }

  /// Returns the parts of a remote, with its storage without encryption.
  package func staged(_ remote: RemoteConfiguration) async throws(SyncError) -> RemoteParts {
    var parts = parts(remote.name)
    parts.cache = CacheFolder(
      path: StateFolder(path: configuration.stateFolder).cache(of: remote.name), isReadOnly: isReadOnly)
    parts.dataFolder = StateFolder(path: configuration.stateFolder).data(of: remote.name)
    parts.traffic = remote.traffic(configuration.traffic)
    parts.isReceiveOnly = remote.settings.mode == .receive
    if let cloud = try remote.cloud?.made(as: (any CloudStorage).self) {
      parts.storage = try await cloud.open(parts).layered(traffic: parts.traffic, runtime: runtime, logger: logger)
    }
    return parts
  }

  /// Returns the cipher in a remote's settings, with its keys.
  package func cipher(of remote: RemoteConfiguration, _ parts: RemoteParts) async throws(SyncError)
    -> (any Cipher)?
  {
    try await remote.encryption?.made(as: (any EncryptionBackend).self).open(parts)
  }

  /// Adds the encryption: around the storage, or to the parts of a format that uses it itself. A remote that was once encrypted
  /// is never opened without.
  private func encrypt(_ parts: inout RemoteParts, as remote: RemoteConfiguration) async throws(SyncError) {
    if try await PendingKey(in: parts.journal) != nil { throw Self.isUnderWay(remote.name) }
    guard let cipher = try await cipher(of: remote, parts) else {
      if let record = try await SealRecord(in: parts.journal) { throw Self.forgot(record, remote.name) }
      return
    }
    if remote.formatSeals {
      parts.cipher = cipher
    } else {
      parts.storage = parts.storage?.encrypted(with: cipher, parts) { [logger] fingerprint in
        logger.notice(
          """
          first contact with the encrypted remote \(remote.name): its fingerprint is \(fingerprint). Compare it with \
          `syncd status` on another device
          """)
      }
    }
  }

  private static func isUnderWay(_ name: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the re-encryption of the remote \(name) was interrupted, and must be finished with the same settings",
      remedy: .rekey(remote: name))
  }

  private static func forgot(_ record: SealRecord, _ name: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(name) is encrypted with \(record.cipher), but the settings no longer say so; nothing was changed. Restore "
        + "`encryption = \"\(record.cipher)\"`, or decrypt it with `syncd rekey \(name) --from FILE`, where FILE is the previous settings file"
    )
  }

  /// Returns the filter for `store`: the settings, the defaults and the store's own `.syncdignore`.
  package func filter(for store: any Replica) async throws(SyncError) -> PathFilter {
    let settings = configuration.store.settings
    return try await PathFilter(
      of: store, include: settings.include.map(\.pattern), exclude: settings.exclude.map(\.pattern))
  }

  private func parts(_ name: String) -> RemoteParts {
    RemoteParts(
      name: name, device: device, runtime: runtime, contents: archive, journal: archive.journal(of: name))
  }
}

extension ChosenPlugin {
  /// Returns the plugin as the protocol of its role. An error that the plugin detects only now is one in the settings.
  func made<Role>(as role: Role.Type) throws(SyncError) -> Role {
    do { return try make(as: role) } catch let error as SyncError { throw error } catch {
      throw SyncError(.invalidSettings, "\(error)")
    }
  }
}
