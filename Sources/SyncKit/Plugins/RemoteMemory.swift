/// An archive's memory of one remote.
public struct RemoteMemory: Sendable {
  /// The agreements of both sides.
  public var base: Base
  /// The store's identity in the last pass; nil before the first one. The generation of the remote's root is the one with which
  /// it was last stamped.
  public var localRoot: RootIdentity?
  /// The remote's identity in the last pass.
  public var remoteRoot: RootIdentity?
  /// The store's cursor for incremental listings.
  public var localCursor: Cursor?
  /// The remote's cursor for incremental listings.
  public var remoteCursor: Cursor?
  /// Incremented by every record that changes an agreement or starts over. New revisions of the same contents do not count.
  public var generation: Int
  /// The deletions that a user approved and that were not made yet.
  public var allowed: Set<HeldItem>
  /// The deletions that the last pass held.
  public var hold: Hold?
  /// The number of deletions within the last day without an approval.
  public var deletedToday: Int
  /// The conflicts that are not resolved.
  public var conflicts: [OpenConflict]
  /// Changes that a pass was about to make and whose results are not recorded, at most one per path.
  public var intended: [IntendedChange]
  /// The highest batch number of these changes; 0 if there are none.
  public var lastBatch: Int
  /// The number of records that the archive had written since it was opened, not later than this memory was read; see
  /// `RecordOrder`.
  public var recordCount: Int

  /// Creates a memory; an empty one by default.
  public init(
    base: Base = Base(), localRoot: RootIdentity? = nil, remoteRoot: RootIdentity? = nil, localCursor: Cursor? = nil,
    remoteCursor: Cursor? = nil, generation: Int = 0, allowed: Set<HeldItem> = [], hold: Hold? = nil,
    deletedToday: Int = 0, conflicts: [OpenConflict] = [], intended: [IntendedChange] = [], lastBatch: Int = 0,
    recordCount: Int = 0
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
    self.recordCount = recordCount
  }

  /// The memory for a pass that starts over like a first one: only the conflicts, because they are in the files.
  public var startedAgain: RemoteMemory {
    RemoteMemory(generation: generation, conflicts: conflicts, lastBatch: lastBatch, recordCount: recordCount)
  }

  /// True before the first pass.
  public var isFirstPass: Bool { remoteRoot == nil }

  /// Returns a side's identity in the last pass.
  public func root(of side: Side) -> RootIdentity? { side == .local ? localRoot : remoteRoot }

  /// Returns the cursor of a side's last listing.
  public func cursor(of side: Side) -> Cursor? { side == .local ? localCursor : remoteCursor }
}
