internal import CoreMetrics
public import SyncKit

/// A tree of files below a local folder.
///
/// Every access goes through descriptors from the root downwards, never through a link, and names are bytes from the file
/// system to the engine and back. A new content is written to a temporary beside its path and published whole; a replaced file
/// is checked before it is removed, so that an edit made at any moment survives (`docs/reliability.md`, section 5.1).
///
/// One instance serves one store or remote; its operations are sequential and never overlap.
public struct FileTree: Replica, StorageDefaults {
  /// The absolute path of the root.
  public let path: String
  public var address: String { path }
  let parts: RemoteParts
  /// True if `claim` creates a missing root.
  let createsRoot: Bool
  let state = TreeState()
  /// The requests for contents that are only in a cloud.
  let requests: ContentRequests
  /// See `CloudProgram`.
  let isElsewhere: (@Sendable (UInt64) -> Bool)?
  /// The machine whose editor locks count.
  var machine: @Sendable () -> Machine = { .this }
  /// See `Primitives`.
  var isModern = true
  /// The maximum number of folders that the system watches; nil if it reports no limit.
  var watchLimit = TreeWatch.limit
  /// Called at each failpoint; tests make their edits here.
  var reach: @Sendable (TreeFailpoint) throws(SyncError) -> Void = { failpoint throws(SyncError) in
    try failpoint.reach()
  }

  /// The tree below the folder `path`, which need not exist.
  ///
  /// - Parameter createsRoot: false if `claim` throws where the folder is missing, because it may be on a disk that is not
  ///   mounted.
  public init(path: String, parts: RemoteParts, createsRoot: Bool = true) {
    self.init(path: path, parts: parts, createsRoot: createsRoot, keptBy: nil)
  }

  /// - Parameter program: keeps the tree's files in a cloud; nil if no such program is known.
  package init(path: String, parts: RemoteParts, createsRoot: Bool, keptBy program: CloudProgram?) {
    self.path = path
    self.parts = parts
    self.createsRoot = createsRoot
    requests = ContentRequests(program, root: path, now: parts.runtime.now)
    isElsewhere = program?.isElsewhere
  }

  /// Lists the whole tree. Throws `.notFound` if the root does not exist.
  ///
  /// Links, pipes, sockets and devices are unread parts, and links are never followed. So are files whose contents are only in a
  /// cloud, unless nothing but that has changed since the last agreement. A listing after `recover` also removes
  /// the leftovers of a crash that it finds.
  public func list(since known: Known) async throws(SyncError) -> Snapshot {
    let root = try openRoot()
    let identity = try identity(of: root)
    requests.beginPass()
    let naming = try await naming(of: root, identity)
    let (builder, findings) = try walk(root, since: known)
    state.meet(identity)
    var snapshot = builder.finish(root: identity, naming: naming)
    snapshot.waiting = findings.asked.map { ($0, requests.text(at: $0, isAsked: true)) }
    if state.takeSweep() {
      snapshot.written = try await written(of: known, temporaries: findings.strays, isWhole: snapshot.isWhole)
      try await tidy(findings.strays, isWhole: snapshot.isWhole)
    }
    return snapshot
  }

  /// Makes each change under its condition, or not at all. No reader ever sees a partial file.
  ///
  /// Contents are compared by their digests, so that a change is made if the expected content is still there under a new
  /// revision. A replaced file stays under a temporary name while a program has it open for writing.
  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    var commit = Commit(changes, to: try open(), intents, on: machine())
    return try await commit.run()
  }

  /// Returns a stream of changes of the tree, if the system reports them; it ends when no more are reported, and can be
  /// requested again.
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
  ) throws(SyncError) -> (builder: SnapshotBuilder, findings: Walk.Findings) {
    do throws(Errno) { return try Walk(root, since: known, at: parts.runtime.now(), requests).run() } catch {
      throw SyncError(error, at: path)
    }
  }
}
