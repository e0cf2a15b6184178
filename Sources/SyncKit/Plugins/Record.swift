/// The results of a part of a pass.
public struct Record: Sendable {
  /// The name of the remote.
  public var remote: String
  /// Paths on which both sides were seen to have the same content.
  public var agreements: [Agreement] = []
  /// Paths that neither side has any more, or that the filter no longer accepts.
  public var forgotten: [SyncPath] = []
  /// What was done, as a sentence for the history.
  public var actions: [Action] = []
  /// New conflicts.
  public var opened: [OpenConflict] = []
  /// Conflicts that were resolved; a path may have others.
  public var settled: [OpenConflict] = []
  /// Approved deletions that happened, or that are no longer planned.
  public var used: [HeldItem] = []
  /// How many deletions happened without an approval.
  public var deletions = 0
  /// The new hold; nil leaves it unchanged, an empty set ends it.
  public var hold: Hold?
  /// How both sides identify themselves; nil leaves it unchanged.
  public var roots: (local: RootIdentity, remote: RootIdentity)?
  /// Where the listings of both sides ended; nil leaves it unchanged.
  public var cursors: (local: Cursor?, remote: Cursor?)?
  /// The generation that the remote was stamped with, stored with its root; nil leaves it unchanged.
  public var stamped: Int?
  /// How far the intended changes have ended; nil leaves them as they are.
  public var ended: EndedBatches?
  /// True if everything known about this remote is forgotten first, because another replica is in its place, or the archive
  /// was restored from a backup.
  public var startsAgain = false

  /// Creates an empty record.
  public init(remote: String) { self.remote = remote }

  /// True if there is nothing to write.
  public var isEmpty: Bool {
    agreements.isEmpty && forgotten.isEmpty && actions.isEmpty && opened.isEmpty && settled.isEmpty && used.isEmpty
      && hold == nil && roots == nil && cursors == nil && stamped == nil && ended == nil && !startsAgain
  }
}

/// Which batches have ended, and which of their changes may or may not have been made.
public struct EndedBatches: Hashable, Sendable {
  /// The number of the last batch that has ended; so have all before it.
  public var last: Int
  /// The changes of these batches whose end is unknown.
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
