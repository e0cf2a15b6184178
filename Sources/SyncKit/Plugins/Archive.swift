/// Stores the memory of a sync: bases, contents of previous versions, the numbered passes, and what needs a user's decision.
///
/// Everything that a method wrote survives `kill -9` and power loss once the method has returned, unless documented otherwise.
/// Damage is always detected: opening the archive, or reading the damaged part, throws `.damagedState`.
public protocol Archive: ContentLibrary {
  /// Returns the memory of one remote; empty before the first pass.
  func memory(of remote: String) async throws(SyncError) -> RemoteMemory

  /// Returns the number of changes of one remote's base; see `RemoteMemory.generation`.
  func generation(of remote: String) async throws(SyncError) -> Int

  /// Returns the small durable records of one remote, or of the store under the name `store`.
  func journal(of remote: String) -> any Journal

  /// Returns the number of the current run, which is incremented when the run writes something for the first time.
  func passNumber() async throws(SyncError) -> Int

  /// Records the changes that a batch is about to make, and the versions that it replaces or removes, whose contents are
  /// already stored. Returns when all of it is durable.
  func prepare(_ batch: IntendedBatch) async throws(SyncError)

  /// Records which sides the changes of a prepared batch have reached. Returns when it is durable.
  func update(_ batch: IntendedBatch) async throws(SyncError)

  /// Returns the paths of all changes, with any remote, whose results are not recorded.
  func intendedPaths() async throws(SyncError) -> Set<SyncPath>

  /// Writes the results of a part of a pass in one transaction. Passes over other remotes may record at the same time; see
  /// `RecordOrder`.
  func record(_ record: Record) async throws(SyncError)

  /// Returns the contents among these that are stored, so that their versions may be replaced or removed.
  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest>

  /// Returns the paths at which the content was the last one agreed on with a remote other than `remote`.
  func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath>

  /// Returns the paths at which the store had the content and agreed on it with another remote, after the last agreement with
  /// `remote`.
  func agreedLater(_ contents: [SyncPath: Digest], than remote: String) async throws(SyncError) -> Set<SyncPath>

  /// Returns true if this content was replaced or removed at this path before, so that it is older than the later ones.
  func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool
}
