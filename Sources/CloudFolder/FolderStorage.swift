internal import FileTree
internal import SyncKit

/// A folder of this machine as a storage.
struct FolderStorage: Storage {
  private let tree: FileTree

  init(_ tree: FileTree) { self.tree = tree }

  var address: String { tree.path }

  /// An exchange is not conditional by itself, but what comes out is looked at and given back unless it is what was
  /// expected; and a move never overwrites.
  func capabilities() async throws(SyncError) -> Capabilities {
    Capabilities(replacement: .moves, naming: try await tree.naming(), parallelism: 1, batches: true)
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await tree.snapshot(since: known) }

  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    let results = try await tree.read([path], into: sink)
    guard case .read(let entry)? = results.first, let expected, entry.revision != expected else { return results[0] }
    return .postponed("\(path) is not the expected version")
  }

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await tree.commit([Change(path: path, content: content, condition: condition)])[0]
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await tree.commit([Change(path: path, content: nil, condition: condition)])[0]
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence { try await tree.confirm([path])[0] }

  func createRoot() async throws(SyncError) { _ = try await tree.createRoot() }

  func recover() async throws(SyncError) { try await tree.recover() }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] { try await tree.commit(changes) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await tree.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await tree.confirm(paths) }

  func changes() -> AsyncStream<Void> { tree.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try tree.diagnose() }
}
