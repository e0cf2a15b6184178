/// What an archive remembers of one remote.
public struct RemoteMemory: Sendable {
  /// What both sides agreed on.
  public var base: Base
  /// How the store and the remote identified themselves in the last pass; nil before the first one. The generation of the
  /// remote's root is the one that it was last stamped with.
  public var localRoot: RootIdentity?
  /// The remote, as `localRoot` for the store.
  public var remoteRoot: RootIdentity?
  /// Where the last listings ended, for incremental ones.
  public var localCursor: Cursor?
  /// The remote, as `localCursor` for the store.
  public var remoteCursor: Cursor?
  /// Incremented by every record that changes an agreement or starts over. New revisions of the same contents do not count.
  public var generation: Int
  /// The deletions that a person approved and that did not happen yet.
  public var allowed: Set<HeldItem>
  /// The deletions that the last pass held.
  public var hold: Hold?
  /// How many deletions happened within the last day without an approval.
  public var deletedToday: Int
  /// The conflicts that are not resolved.
  public var conflicts: [OpenConflict]
  /// Changes that a pass was about to make and whose results are not recorded, at most one per path.
  public var intended: [IntendedChange]
  /// The highest number of a batch whose changes are among them; 0 if there are none.
  public var lastBatch: Int

  /// Creates a memory; an empty one by default.
  public init(
    base: Base = Base(), localRoot: RootIdentity? = nil, remoteRoot: RootIdentity? = nil, localCursor: Cursor? = nil,
    remoteCursor: Cursor? = nil, generation: Int = 0, allowed: Set<HeldItem> = [], hold: Hold? = nil,
    deletedToday: Int = 0, conflicts: [OpenConflict] = [], intended: [IntendedChange] = [], lastBatch: Int = 0
  ) {
    self.base = base
    self.localRoot = localRoot
    self.remoteRoot = remoteRoot
    self.localCursor = localCursor
    self.remoteCursor = remoteCursor
    self.generation = generation
    self.allowed = allowed
    self.hold = hold
    self.deletedToday = deletedToday
    self.conflicts = conflicts
    self.intended = intended
    self.lastBatch = lastBatch
  }

  /// What remains if the next pass is like a first one: the conflicts, because they are in the files.
  public var startedAgain: RemoteMemory {
    RemoteMemory(generation: generation, conflicts: conflicts, lastBatch: lastBatch)
  }

  /// True before the first pass.
  public var isFirstPass: Bool { remoteRoot == nil }

  /// Returns how a side identified itself in the last pass.
  public func root(of side: Side) -> RootIdentity? { side == .local ? localRoot : remoteRoot }

  /// Returns where the last listing of a side ended.
  public func cursor(of side: Side) -> Cursor? { side == .local ? localCursor : remoteCursor }
}
