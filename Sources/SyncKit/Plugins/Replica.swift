/// One side's copy of the files: the store, or a remote as its sync backend presents it.
///
/// The engine calls `recover` first, then `snapshot` once a pass, then `read`, `confirm` and `commit` for some of the
/// paths, and `recorded` when the archive has it all durably; one call at a time. Paths are in folder order wherever
/// there are several; results come in the order of the request, one for each element.
///
/// An implementation throws only what ends the whole pass over this remote; what happens to one path is a result.
public protocol Replica: Sendable {
  /// Finishes or undoes whatever a crash interrupted. Never called in a dry run. Default: nothing to do.
  func recover() async throws(SyncError)

  /// Lists the whole replica. A replica that is not there at all gives a snapshot whose root has no id.
  func snapshot(since known: Known) async throws(SyncError) -> Snapshot

  /// Makes the replica known by its identity before anything is written to it for the first time: creates its root and
  /// its marker where it has one. Called at a first meeting only. Returns the identity.
  func claim() async throws(SyncError) -> RootIdentity

  /// Reads each file whole into `sink`.
  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult]

  /// Looks up each path by name, before anything is believed deleted.
  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence]

  /// How much a `commit` is handed at most. Default: the usual.
  var commitLimit: CommitLimit { get }

  /// Makes each change happen under its condition, or not at all; removals and creations in one batch may be one move.
  /// No reader ever sees half a file where the replica allows that.
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult]

  /// Called after the archive has the agreements durably. A crash may come between, and it is not repeated then: what
  /// follows from it must be found out by `recover` or `snapshot` as well. Default: nothing to do.
  func recorded(_ agreements: [Agreement]) async throws(SyncError)

  /// Writes `generation` beside the identity, for this device; see `RootIdentity.generation`. Returns whether it stands
  /// there now. Default: it does not.
  @discardableResult func stamp(generation: Int) async throws(SyncError) -> Bool

  /// Says "look again" whenever something may have changed. Default: never.
  func changes() -> AsyncStream<Void>

  /// Whether what is told of is whole when it is told, so that nobody has to wait until files are still. Default: it may
  /// be half written.
  var tellsOfWholeFiles: Bool { get }

  /// Tries out what the replica can do and tells it in words; asked for by a person, never during a pass. Default: whether
  /// it can be listed.
  func diagnose() async throws(SyncError) -> [Finding]
}

/// How many changes, and how many bytes of new content, make a batch: what one commit does, and what a crash can cost.
public struct CommitLimit: Hashable, Sendable {
  public var count: Int
  public var bytes: Int

  public init(count: Int, bytes: Int) {
    self.count = count
    self.bytes = bytes
  }

  /// What suits replicas that make one change after the other.
  public static let usual = CommitLimit(count: 1_024, bytes: 4 << 20)
}

extension Replica {
  public var commitLimit: CommitLimit { .usual }
  public func recover() async throws(SyncError) {}
  public func recorded(_ agreements: [Agreement]) async throws(SyncError) {}
  public func stamp(generation: Int) async throws(SyncError) -> Bool { false }
  public func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
  public var tellsOfWholeFiles: Bool { false }

  public func diagnose() async throws(SyncError) -> [Finding] {
    let snapshot = try await snapshot(since: Known())
    return [Finding(.good, "\(snapshot.root.address) is reachable and holds \(snapshot.count.counted("file"))")]
  }
}

/// How reading one file ended.
public enum ReadResult: Sendable {
  /// The content is in the sink; the entry says which revision it belongs to, and has its digest.
  case read(Entry)
  /// The file kept changing while it was read, or must be waited for; a later pass reads it.
  case postponed(String)
  /// Nothing is there any more.
  case absent
  /// It cannot be read.
  case failed(SyncError)
}

/// What a look-up by name found.
public enum Presence: Sendable {
  case present(Entry)
  case absent
  /// It cannot be told yet, and a look a little later can.
  case postponed(String)
  /// It cannot be told; nothing that depends on it is done.
  case unknown(String)
}
