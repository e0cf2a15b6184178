internal import FileTree
internal import OrgMerging
internal import SyncKit
internal import Synchronization

/// A folder in iCloud Drive: its file tree, in which conflict versions are merged before it is listed.
final class ICloudStorage: Storage {
  let tree: FileTree
  let service: ICloudService
  let merger: OrgMerger
  let parts: RemoteParts
  /// True after `recover`, which neither a dry run nor a diagnosis calls: only then are conflict versions merged.
  private let mayMerge = Mutex(false)

  init(_ tree: FileTree, _ service: ICloudService, _ merger: OrgMerger, _ parts: RemoteParts) {
    (self.tree, self.service, self.merger, self.parts) = (tree, service, merger, parts)
  }

  var address: String { tree.address }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try requireAccount()
    let unresolved = mayMerge.withLock { $0 } ? try await mergeConflicts(since: known) : []
    var snapshot = try await tree.list(since: known)
    // Of a file that is not on this machine, its versions wait for the same content.
    let asked = Set(snapshot.waiting.map(\.path))
    snapshot.waiting += unresolved.filter { !asked.contains($0.path) }
    return snapshot
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try requireAccount()
    return try await tree.commit(changes)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await tree.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try requireAccount()
    return try await tree.confirm(paths)
  }

  func capabilities() async throws(SyncError) -> Capabilities { try await tree.capabilities() }

  func createRoot() async throws(SyncError) {
    try requireAccount()
    try await tree.createRoot()
  }

  func recover() async throws(SyncError) {
    try await tree.recover()
    mayMerge.withLock { $0 = true }
  }

  func changes() -> AsyncStream<Void> { tree.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    try requireAccount()
    return try await tree.diagnose() + [conflictFinding, Self.untested].compactMap(\.self)
  }

  /// Without an account, macOS may remove the local copies: nothing then counts as deleted.
  private func requireAccount() throws(SyncError) {
    guard service.isSignedIn() else {
      throw SyncError(
        .unavailable, "cannot use \(address): this Mac is not signed in to iCloud; sign in in the System Settings")
    }
  }

  private var conflictFinding: Finding? {
    let paths = service.conflicts.paths(below: tree.path)
    guard let first = paths.first else { return nil }
    return Finding(
      .note,
      "conflict versions of \(paths.count.counted("file")) are in iCloud, such as of \(first); a pass merges text, and the "
        + "Finder offers the others")
  }

  private static var untested: Finding {
    Finding(
      .note,
      "what this remote asks macOS for was tested with a substitute for iCloud, and never on a Mac; keep a second copy "
        + "of your files")
  }
}
