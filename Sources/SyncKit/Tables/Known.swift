/// Knowledge about a replica before it is listed: its entries at the last agreement, and the paths to list.
///
/// A replica uses it only to save work: it lists itself as if nothing were known, and passes each entry to a `SnapshotBuilder`,
/// which stores only differences. A replica with a change feed applies the changes since `cursor` to these entries.
public struct Known: Sendable {
  let paths: ByteColumn
  let revisions: ByteColumn
  private let digests: Column<Digest>
  /// The cursor of the replica's last snapshot.
  public let cursor: Cursor?
  /// Selects the paths to sync. Files that it refuses need not be listed; a folder that it refuses need not be entered.
  public let filter: PathFilter
  /// Contents that a former pass was about to write here and whose result is not recorded. A replica that has proof that it
  /// wrote one of them, whatever the path contains now, reports it in `Snapshot.written`.
  public let awaited: [SyncPath: Digest]
  /// The paths at which a pass over any remote awaits a content: proof of writes at them is kept.
  public let pending: Set<SyncPath>

  /// Nothing is known yet.
  public init(filter: PathFilter = PathFilter()) {
    self.init(Base(), on: .local, filter: filter)
  }

  /// The part of `base` for one side.
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

  /// The same paths and revisions without a cursor and without awaited contents, for the replica below a view of it, whose
  /// listing is complete and whose contents are others.
  package var withoutEvidence: Known { Known(self) }

  private init(_ known: Known) {
    (paths, revisions, digests) = (known.paths, known.revisions, known.digests)
    (cursor, awaited) = (nil, [:])
    (filter, pending) = (known.filter, known.pending)
  }

  /// The number of known entries.
  public var count: Int { paths.count }

  /// The path and revision of the known entry at `index`, in folder order.
  public subscript(index: Int) -> (path: SyncPath, revision: Revision) {
    (SyncPath(trusted: Array(paths[index])), Revision(bytes: Array(revisions[index])))
  }

  /// The agreed digest at `path`, which can serve as the basis for fetching a newer version as a difference.
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

/// The point at which an incremental listing continues; only the replica that made it can interpret it.
public struct Cursor: Hashable, Sendable {
  /// The opaque value, as the archive stores it.
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }
}
