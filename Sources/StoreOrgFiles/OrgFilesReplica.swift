internal import FileTree
internal import SyncKit

/// A local folder as the store: its file tree, which waits while a git operation is in progress in it.
struct OrgFilesReplica: Replica {
  private let tree: FileTree

  init(_ tree: FileTree) { self.tree = tree }

  var address: String { tree.address }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    if let obstacle = WorkTree.obstacle(at: tree.path) { throw SyncError(.unavailable, obstacle) }
    return try await tree.list(since: known)
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    if let obstacle = WorkTree.obstacle(at: tree.path) { return changes.map { _ in .postponed(obstacle) } }
    return try await tree.commit(changes)
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    try await tree.diagnose() + [WorkTree.obstacle(at: tree.path)].compactMap(\.self).map { Finding(.problem, $0) }
  }

  func capabilities() async throws(SyncError) -> Capabilities { try await tree.capabilities() }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await tree.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await tree.confirm(paths) }

  func createRoot() async throws(SyncError) { try await tree.createRoot() }

  func recover() async throws(SyncError) { try await tree.recover() }

  func changes() -> AsyncStream<Void> { tree.changes() }

  func claim() async throws(SyncError) -> RootIdentity { try await tree.claim() }

  func stamp(generation: Int) async throws(SyncError) -> Bool { try await tree.stamp(generation: generation) }

  func recorded(_ agreements: [Agreement]) async throws(SyncError) { try await tree.recorded(agreements) }
}
