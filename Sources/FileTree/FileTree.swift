internal import CoreMetrics
public import SyncKit

/// A tree of files below one folder of this machine.
///
/// Everything goes by descriptor from the root down, never through a link, and names are bytes from the file system to
/// the engine and back. A new content is written beside its place and published whole; what it replaces is checked
/// before it goes, so that an edit made at any moment survives (`docs/reliability.md`, section 5.1).
///
/// One instance serves one store or remote; its operations follow each other and never overlap.
public struct FileTree: Replica, StorageDefaults {
  /// The absolute path of the root.
  public let path: String
  public var address: String { path }
  let parts: RemoteParts
  let state = TreeState()
  /// Which locks of editors count.
  var machine: @Sendable () -> Machine = { .this }
  /// See `Primitives`.
  var isModern = true
  /// How many folders the system watches at most; nil if it says nothing of a limit.
  var watchLimit = TreeWatch.limit
  /// What happens at each place between two effects; tests put their edits here.
  var reach: @Sendable (TreeFailpoint) throws(SyncError) -> Void = { failpoint throws(SyncError) in
    try failpoint.reach()
  }

  /// The tree below the folder `path`. Nothing is looked at before it is asked for.
  public init(path: String, parts: RemoteParts) {
    self.path = path
    self.parts = parts
  }

  /// Lists the whole tree. Throws `.notFound` if the root is not there.
  ///
  /// Links, pipes, sockets and devices are unread parts, never followed. A listing that follows `recover` also removes
  /// the leftovers of a crash that it meets.
  public func list(since known: Known) async throws(SyncError) -> Snapshot {
    let root = try openRoot()
    let identity = try identity(of: root)
    let naming = try await naming(of: root, identity)
    let (builder, strays, _) = try walk(root, since: known)
    state.meet(identity)
    var snapshot = builder.finish(root: identity, naming: naming)
    if state.takeSweep() {
      snapshot.written = try await written(of: known, temporaries: strays, isWhole: snapshot.isWhole)
      try await tidy(strays, isWhole: snapshot.isWhole)
    }
    return snapshot
  }

  /// Makes each change happen under its condition, or not at all. No reader ever sees half a file.
  ///
  /// Contents are judged by their digests, so that a change whose replaced content is still there happens even if its
  /// revision has changed. A replaced file stays under a temporary name while a program has it open for writing.
  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    var commit = Commit(changes, to: try open(), intents, on: machine())
    return try await commit.run()
  }

  /// Changes of the tree, if the system reports them; ends when it reports no more, and can be requested again.
  public func changes() -> AsyncStream<Void> {
    #if os(Linux) || os(macOS)
      let unwatched = Meter(label: "syncd_unwatched_folders", dimensions: [("replica", parts.name)])
      return TreeWatch.changes(below: path) { unwatched.set($0) }
    #else
      AsyncStream { $0.finish() }
    #endif
  }

  var intents: IntentJournal { IntentJournal(journal: parts.journal, state: state, reach: reach) }

  func walk(
    _ root: Folder, since known: Known
  ) throws(SyncError) -> (builder: SnapshotBuilder, strays: [SyncPath], folders: Int) {
    do throws(Errno) { return try Walk(root, since: known, at: parts.runtime.now()).run() } catch {
      throw SyncError(error, at: path)
    }
  }
}
