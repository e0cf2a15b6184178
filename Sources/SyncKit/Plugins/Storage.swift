/// A place that holds files: a folder, a WebDAV server, a bucket. Together with `Replica`, below, this is the complete
/// contract.
///
/// **Batches.** Every method takes a batch and returns one result for each element, in the order of the request. Two changes of
/// a batch never name the same path. A caller that gets another number of results stops with `.unexpected`.
///
/// **Requirements.** A file is replaced whole or not at all, and only while its condition holds, whatever other program or
/// device writes at the same time. A listing contains every file or names the missing parts. "Does not exist" is never confused
/// with "could not be read". Names are returned with the bytes that were passed in.
///
/// **Errors.** An error about one path is a result. A method throws only errors that end the pass with this remote; the pass
/// then reports the error, and the next pass begins again. Every method that uses the network or a disk may throw these codes:
/// - `.unavailable`, `.timedOut`: not reachable, or no answer. `list`, `read` and `confirm` are retried.
/// - `.unauthorized`, `.invalidSettings`, `.wrongReplica`: the user must act; nothing more is done with this remote.
/// - `.cancelled`: the task was cancelled. `.noSpace`: a disk of this machine is full; passes over all remotes stop.
/// - `.unexpected`: an answer that makes no sense. Codes about one path (`.pathFailed`, `.suspect`, `.changedMeanwhile`)
///   are never thrown.
///
/// **Implementing it.** Conform to `StorageDefaults`, which supplies the optional parts. A service that handles one file at a
/// time conforms to `FileService` instead, one with etags to `ObjectStore`. A layer around a storage conforms to `Storage`
/// itself and does not compile until it forwards every member.
public protocol Storage: Sendable {
  /// The storage's name in messages, without credentials: a path, a URL. Constant.
  var address: String { get }

  /// Returns the proved capabilities of the storage. Uses stored results without asking the network, so that it may be called
  /// at any time; a capability that was not proved yet is not promised. Throws `.damagedState` if the journal cannot be read.
  func capabilities() async throws(SyncError) -> Capabilities

  /// Lists every file below the root that the filter of `known` accepts. Throws `.notFound` if the root does not exist: a first
  /// pass then creates it, a later one stops. Returns a part that cannot be read as `unread`: the engine does not change any
  /// path in it. Returns `isComplete` false if the listing was interrupted: nothing then counts as deleted.
  func list(since known: Known) async throws(SyncError) -> Snapshot

  /// Reads each file whole into `sink`. A file that changes meanwhile is `.postponed`, never a mixture of two versions.
  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult]

  /// Looks up each path by name. The engine asks before it treats a missing file as deleted: only `.absent` proves it. `read`
  /// and `confirm` may return the state of the last `list` of the same handle; `commit` never does.
  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence]

  /// Makes each change if its condition holds now, or not at all. The caller replaces or removes only a version that it has
  /// read or written through this storage. A removal and a creation in one batch may be one move; `steps` of the batch is the
  /// safe order. A change that may or may not have happened is `.unknown`, and the next pass checks it: writes are never
  /// repeated. After an error is thrown, the next pass determines which changes were made.
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult]

  /// Creates the root if it is missing; its parent must exist. Throws `.unavailable` if it cannot be created. Default: the
  /// root always exists, or `claim` creates it.
  func createRoot() async throws(SyncError)

  /// Finishes or undoes operations that a crash interrupted. Called before each listing, never in a dry run. Default: does
  /// nothing.
  func recover() async throws(SyncError)

  /// Yields whenever files may have changed; the service then runs a pass. Ends when no more changes can be reported, and may
  /// be called again. Default: ends at once.
  func changes() -> AsyncStream<Void>

  /// Tests the capabilities of the storage, for a diagnosis. May write temporary files and removes them, unless
  /// `RemoteParts.isReceiveOnly`. Throws if nothing can be determined. Default: lists the files.
  func diagnose() async throws(SyncError) -> [Finding]
}

/// One side of a sync, the store or a remote: a storage with an identity, so that another disk in its place is detected.
///
/// The engine calls `recover`, `list`, then `read`, `confirm` and `commit` for some paths, and `recorded` once the archive is
/// durable, one call at a time. The root of a listing has the identity, or no id if `claim` has not been called.
public protocol Replica: Storage {
  /// Gives the replica an identity if it has none, creates the root if it is missing, and returns the identity. Called before
  /// the first write. Throws `.wrongReplica` if the present files cannot be a replica of this kind.
  func claim() async throws(SyncError) -> RootIdentity

  /// Stores `generation` beside the identity, for this device; see `RootIdentity.generation`. Returns true if it is stored.
  /// Default: false; then a restored backup is not detected.
  @discardableResult func stamp(generation: Int) async throws(SyncError) -> Bool

  /// Called after the archive has durably stored the agreements. A crash may prevent the call: `recover` or `list` must then
  /// derive its effects. Default: does nothing.
  func recorded(_ agreements: [Agreement]) async throws(SyncError)
}

/// The capabilities of a storage, as proved for this account, not as announced.
public struct Capabilities: Hashable, Sendable {
  /// The method of replacing a version without losing another one.
  public enum Replacement: String, Hashable, Sendable {
    /// Writes are conditional, and the condition holds until the write takes effect.
    case conditional
    /// Moves never overwrite: the old version is moved away and checked, then the new one is moved in.
    case moves
    /// Neither; written to only with the user's consent.
    case unsafe
  }

  /// The evidence that an upload arrived unaltered.
  public enum UploadCheck: String, Hashable, Sendable {
    /// The storage compares a hash of each upload, or the content itself.
    case confirmed
    /// Nothing but the size: the layers read the first and the last upload of each batch back.
    case sampled
    /// Nothing but the size: the layers read each upload back.
    case each
  }

  /// The method of replacing a version.
  public var replacement: Replacement
  /// The condition of a change holds against every other writer until the change takes effect. If false, a version that
  /// another writer puts in place within a moment of a change may be lost.
  public var isRaceFree = true
  /// A file that is missing from a complete listing, and is `.absent` by name, is deleted. If false, nothing counts as deleted.
  public var provesAbsence = true
  /// The names that the storage can hold.
  public var naming = NamingRules()
  /// The maximum number of concurrent requests. The adapters of `FileService` and `ObjectStore` never exceed it.
  public var parallelism = 8
  /// The maximum size of a batch that the engine passes to `commit`.
  public var commitLimit = CommitLimit.default
  /// The evidence that an upload arrived unaltered.
  public var uploadCheck = UploadCheck.sampled
  /// A file is complete when `changes` reports it, so the service runs a pass at once instead of waiting until it stops
  /// changing.
  public var notifiesWhenComplete = false

  public init(
    replacement: Replacement, isRaceFree: Bool = true, provesAbsence: Bool = true, naming: NamingRules = NamingRules(),
    parallelism: Int = 8, commitLimit: CommitLimit = .default, uploadCheck: UploadCheck = .sampled,
    notifiesWhenComplete: Bool = false
  ) {
    self.replacement = replacement
    self.isRaceFree = isRaceFree
    self.provesAbsence = provesAbsence
    self.naming = naming
    self.parallelism = parallelism
    self.commitLimit = commitLimit
    self.uploadCheck = uploadCheck
    self.notifiesWhenComplete = notifiesWhenComplete
  }
}

/// The size of a batch: the number of changes and of bytes of new content in one commit, whose work a crash can cost.
public struct CommitLimit: Hashable, Sendable {
  /// The maximum number of changes.
  public var count: Int
  /// The sum of the sizes of new contents, in bytes, at which a batch ends; its last file may exceed it.
  public var bytes: Int

  public init(count: Int, bytes: Int) {
    self.count = count
    self.bytes = bytes
  }

  /// Suits storages that make one change after the other.
  public static let `default` = CommitLimit(count: 1_024, bytes: 4 << 20)
}

// The results of `commit` are in `WriteResult`, the conditions in `Condition`.
