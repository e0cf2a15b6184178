import SyncKit

/// A replica as the checks for storages see it.
///
/// A change tells a replica which content it replaces; as a storage's verbs do not, it is remembered here.
actor PresentedReplica: Storage {
  nonisolated let address = "replica"
  private nonisolated let replica: any Replica
  private var versions: [Version: Content] = [:]

  private struct Version: Hashable {
    var path: SyncPath
    var revision: Revision
  }

  init(_ replica: any Replica) { self.replica = replica }

  func capabilities() async throws(SyncError) -> Capabilities {
    Capabilities(replacement: .conditional, naming: try await replica.snapshot(since: Known()).naming)
  }

  func createRoot() async throws(SyncError) { _ = try await replica.claim() }

  func recover() async throws(SyncError) { try await replica.recover() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let snapshot = try await replica.snapshot(since: known)
    guard snapshot.root.id != nil else { throw SyncError(.notFound, "the replica is not there") }
    return snapshot
  }

  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    try await replica.read([path], into: sink).only(of: path)
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await replica.confirm([path]).only(of: path)
  }

  func write(
    _ content: Content, to path: SyncPath, if condition: Condition
  ) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: content, condition: condition)]).only(of: path)
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: nil, condition: condition)]).only(of: path)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await replica.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await replica.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let results = try await replica.commit(changes.map(knowingWhatItReplaces))
    for (change, result) in zip(changes, results) {
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

extension Array {
  /// The one result of a request for one path.
  fileprivate func only(of path: SyncPath) throws(SyncError) -> Element {
    guard count == 1 else { throw SyncError(.unexpected, "a request for \(path) has \(count) results") }
    return self[0]
  }
}
