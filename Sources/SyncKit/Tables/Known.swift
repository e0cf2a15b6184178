/// What is known of a replica before it is listed: the entries it had when it last agreed, and which paths
/// are wanted.
///
/// A replica uses it to save work and nothing else: it lists itself as if nothing were known, and hands each entry to a
/// `SnapshotBuilder`, which stores only what differs. A replica with a change feed applies the changes since `cursor` to
/// these entries.
public struct Known: Sendable {
  let paths: ByteColumn
  let revisions: ByteColumn
  private let digests: Column<Digest>
  /// Where the last listing ended, as the replica's last snapshot said.
  public let cursor: Cursor?
  /// Which paths take part. What it refuses need not be listed; a whole folder that it refuses need not be entered.
  public let filter: PathFilter
  /// Contents that a former pass was about to write here and whose end is not recorded. A replica that has proof that it
  /// wrote one of them, whatever the path holds now, says so in `Snapshot.written`.
  public let awaited: [SyncPath: Digest]
  /// The paths at which a pass over any remote awaits a content: proof of writes at them is kept.
  public let pending: Set<SyncPath>

  /// Nothing is known yet.
  public init(filter: PathFilter = PathFilter()) {
    self.init(Base(), on: .local, filter: filter)
  }

  /// What `base` knows of one side.
  public init(
    _ base: Base, on side: Side, cursor: Cursor? = nil, filter: PathFilter = PathFilter(),
    awaited: [SyncPath: Digest] = [:], pending: Set<SyncPath> = []
  ) {
    self.paths = base.paths
    self.revisions = side == .local ? base.localRevisions : base.remoteRevisions
    self.digests = base.digests
    self.cursor = cursor
    self.filter = filter
    self.awaited = awaited
    self.pending = pending
  }

  /// How many entries are known.
  public var count: Int { paths.count }

  /// The path and revision of the known entry at `index`, in folder order.
  public subscript(index: Int) -> (path: SyncPath, revision: Revision) {
    (SyncPath(trusted: Array(paths[index])), Revision(bytes: Array(revisions[index])))
  }

  /// The digest of the content that was agreed on at `path`: what a newer version may be fetched as the difference to.
  public func digest(of path: SyncPath) -> Digest? {
    let (index, found) = paths.position(of: path.bytes)
    return found ? digests[index] : nil
  }

  /// The known revision of `path`.
  public subscript(path: SyncPath) -> Revision? {
    let (index, found) = paths.position(of: path.bytes)
    return found ? Revision(bytes: Array(revisions[index])) : nil
  }
}

/// Where an incremental listing goes on; only the replica that made it knows what it means.
public struct Cursor: Hashable, Sendable {
  /// The opaque value, as the archive stores it.
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }
}
