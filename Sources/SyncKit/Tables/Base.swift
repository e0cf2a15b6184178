/// One path's last common content on store and remote, with each side's revision of it.
public struct Agreement: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The digest that both sides had.
  public var digest: Digest
  /// The store's revision of that content.
  public var local: Revision
  /// The remote's revision of that content.
  public var remote: Revision

  public init(path: SyncPath, digest: Digest, local: Revision, remote: Revision) {
    self.path = path
    self.digest = digest
    self.local = local
    self.remote = remote
  }

  /// The revision that `side` had.
  public func revision(on side: Side) -> Revision { side == .local ? local : remote }
}

/// One of the two replicas of a pass.
public enum Side: String, Hashable, Sendable, CaseIterable {
  /// The store.
  case local
  /// The remote.
  case remote

  /// The opposite side.
  public var other: Side { self == .local ? .remote : .local }
}

/// All agreements with one remote, in folder order; a pass compares both sides with them.
public struct Base: Sendable {
  var paths = ByteColumn()
  var digests = Column<Digest>()
  var localRevisions = ByteColumn()
  var remoteRevisions = ByteColumn()

  /// A base without agreements, as in a first pass.
  public init() {}

  /// The base with these agreements, in whatever order.
  public init(_ agreements: some Sequence<Agreement>) {
    for agreement in agreements.sorted(by: { $0.path < $1.path }) { append(agreement) }
  }

  /// The number of agreements.
  public var count: Int { paths.count }

  /// True if it has no agreements.
  public var isEmpty: Bool { count == 0 }

  /// Adds an agreement whose path comes after all others in folder order.
  public mutating func append(_ agreement: Agreement) {
    paths.append(agreement.path.bytes)
    digests.append(agreement.digest)
    localRevisions.append(agreement.local.bytes)
    remoteRevisions.append(agreement.remote.bytes)
  }

  /// Adds an agreement as an archive stored it, without a copy of its parts in between; the path comes after all others
  /// in folder order and was valid when it was stored.
  public mutating func append(
    path: UnsafeRawBufferPointer, digest: Digest, local: UnsafeRawBufferPointer, remote: UnsafeRawBufferPointer
  ) {
    unsafe paths.append(path)
    digests.append(digest)
    unsafe localRevisions.append(local)
    unsafe remoteRevisions.append(remote)
  }

  /// The agreement at `index`, in folder order.
  public subscript(index: Int) -> Agreement {
    Agreement(
      path: path(at: index), digest: digests[index], local: Revision(bytes: Array(localRevisions[index])),
      remote: Revision(bytes: Array(remoteRevisions[index])))
  }

  /// The agreement on `path`, if there is one.
  public subscript(path: SyncPath) -> Agreement? {
    let (index, found) = paths.position(of: path.bytes)
    return found ? self[index] : nil
  }

  func path(at index: Int) -> SyncPath { SyncPath(trusted: Array(paths[index])) }
}
