internal import FileTree
internal import SyncKit

/// A folder of this machine as a replica. It has no marker: it is known by its device and inode. It may be a git work tree,
/// which waits while a git operation is in progress.
struct OrgFilesReplica: Replica {
  private let tree: FileTree

  init(_ tree: FileTree) { self.tree = tree }

  func recover() async throws(SyncError) { try await tree.recover() }

  func snapshot(since known: Known) async throws(SyncError) -> Snapshot {
    if let obstacle = WorkTree.obstacle(at: tree.path) { throw SyncError(.unavailable, obstacle) }
    do throws(SyncError) { return try await tree.snapshot(since: known) } catch {
      guard error.code == .notFound else { throw error }
      return SnapshotBuilder(since: known).finish(root: RootIdentity(address: tree.path, id: nil), isComplete: false)
    }
  }

  func claim() async throws(SyncError) -> RootIdentity { try await tree.createRoot() }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await tree.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await tree.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    if let obstacle = WorkTree.obstacle(at: tree.path) { return changes.map { _ in .postponed(obstacle) } }
    return try await tree.commit(changes)
  }

  func changes() -> AsyncStream<Void> { tree.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    try tree.diagnose() + [WorkTree.obstacle(at: tree.path)].compactMap(\.self).map { Finding(.problem, $0) }
  }
}
