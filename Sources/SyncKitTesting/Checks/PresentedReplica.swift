import SyncKit

/// Presents a replica to the checks for storages: a claim creates its root, and each change names the content that it replaces,
/// as the engine's changes do.
actor PresentedReplica: Storage {
  nonisolated let address: String
  private nonisolated let replica: any Replica
  private var versions: [Version: Content] = [:]

  private struct Version: Hashable {
    var path: SyncPath
    var revision: Revision
  }

  init(_ replica: any Replica) {
    self.replica = replica
    address = replica.address
  }

  /// Returns the replica behind a storage of a check.
  static func behind(_ storage: any Storage) -> (any Replica)? {
    guard let counted = storage as? CountedStorage else { return nil }
    return (counted.storage as? PresentedReplica)?.replica
  }

  func capabilities() async throws(SyncError) -> Capabilities { try await replica.capabilities() }

  func createRoot() async throws(SyncError) { _ = try await replica.claim() }

  func recover() async throws(SyncError) { try await replica.recover() }

  nonisolated func changes() -> AsyncStream<Void> { replica.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await replica.diagnose() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await replica.list(since: known)
    guard snapshot.root.id != nil else { throw SyncError(.notFound, "the replica has no identity yet") }
    return snapshot
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await replica.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await replica.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let results = try await replica.commit(changes.map(knowingWhatItReplaces))
    for (change, result) in try changes.paired(with: results, from: address) {
      guard case .done(let entry?) = result, let content = change.content else { continue }
      versions[Version(path: entry.path, revision: entry.revision)] = content
    }
    return results
  }

  private func knowingWhatItReplaces(_ change: Change) -> Change {
    guard case .unchanged(let revision) = change.condition else { return change }
    var change = change
    change.replaced = versions[Version(path: change.path, revision: revision)]
    return change
  }
}
