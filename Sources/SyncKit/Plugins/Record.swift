/// The results of a part of a pass.
public struct Record: Sendable {
  /// The name of the remote.
  public var remote: String
  /// Paths on which both sides were seen to have the same content.
  public var agreements: [Agreement] = []
  /// Paths that neither side has any more, or that the filter no longer accepts.
  public var forgotten: [SyncPath] = []
  /// The actions, for the history.
  public var actions: [Action] = []
  /// New conflicts.
  public var opened: [OpenConflict] = []
  /// Conflicts that were resolved; a path may have others.
  public var resolved: [OpenConflict] = []
  /// Approved deletions that were made, or that are no longer planned.
  public var used: [HeldItem] = []
  /// The number of deletions without an approval.
  public var deletions = 0
  /// The new hold; nil leaves it unchanged, an empty set ends it.
  public var hold: Hold?
  /// The identities of both sides; nil leaves them unchanged.
  public var roots: (local: RootIdentity, remote: RootIdentity)?
  /// The cursors of both sides' listings; nil leaves them unchanged.
  public var cursors: (local: Cursor?, remote: Cursor?)?
  /// The generation that the remote was stamped with, stored with its root; nil leaves it unchanged.
  public var stamped: Int?
  /// The batches whose intended changes have ended; nil leaves them unchanged.
  public var ended: EndedBatches?
  /// True if everything known about this remote is dropped first, because another replica is in its place, or the archive was
  /// restored from a backup.
  public var startsAgain = false
  /// The `recordCount` of the memory with which the pass began; nil if nothing else could be recorded meanwhile.
  public var follows: Int?

  /// Creates an empty record.
  public init(remote: String) { self.remote = remote }

  /// True if there is nothing to write.
  public var isEmpty: Bool {
    agreements.isEmpty && forgotten.isEmpty && actions.isEmpty && opened.isEmpty && resolved.isEmpty && used.isEmpty
      && hold == nil && roots == nil && cursors == nil && stamped == nil && ended == nil && !startsAgain
  }
}

/// The batches that have ended, and those of their changes whose result is unknown.
public struct EndedBatches: Hashable, Sendable {
  /// The number of the last batch that has ended; all earlier ones have ended, too.
  public var last: Int
  /// The changes of these batches whose result is unknown.
  public var open: [IntendedChange]

  public init(last: Int, open: [IntendedChange]) {
    self.last = last
    self.open = open
  }
}

/// A version that was, or is about to be, replaced or removed.
public struct Version: Hashable, Sendable {
  /// The name of the remote whose pass replaces it.
  public var remote: String
  /// The path that had this version.
  public var path: SyncPath
  /// The digest of its content.
  public var digest: Digest
  /// The side that had it.
  public var side: Side

  public init(remote: String, path: SyncPath, digest: Digest, side: Side) {
    self.remote = remote
    self.path = path
    self.digest = digest
    self.side = side
  }
}
