/// The comparison of both replicas with the known ones. Pure.
struct ReplicaIdentityCheck: Sendable {
  /// The agreements do not apply to these replicas, or may be outdated: they are synced as on the first pass.
  var startsAgain = false
  /// The remote has lost its last stamp, for example because it was restored from a backup.
  var isRestored = false
  /// The sides that must be claimed before they are written to.
  var claims: Set<Side> = []
  /// The sides that are not the known ones; a missing file there proves nothing.
  var strangers: Set<Side> = []
  /// A notice for the user.
  var notice: String?

  /// Compares the identities of both sides with the recorded ones. Throws `.wrongReplica` if continuing could spread a loss.
  ///
  /// - Parameters:
  ///   - known: the sides on which files have their known revisions. The store is then the same tree, whatever its device number
  ///     is: some file systems assign a new one at each start. So is a remote that had no marker.
  ///   - isStoreOlder: true if the store is older than in the last pass; see `Snapshot.wentBackwards`.
  ///   - marksRemote: false if nothing may be written to the remote.
  init(
    _ memory: RemoteMemory, local: RootIdentity, remote: RootIdentity, name: String, known: Set<Side> = [],
    isStoreOlder: Bool = false, marksRemote: Bool = true
  ) throws(SyncError) {
    try judge(local, memory, on: .local, name)
    try judge(remote, memory, on: .remote, name)
    strangers.subtract(known)
    if !marksRemote { claims.remove(.remote) }
    if isStoreOlder {
      startsAgain = true
      notice =
        "the store \(local.address) is older than before, as after a restore from a backup; this pass merges both sides, and "
        + "nothing is deleted"
    }
    if let known = memory.remoteRoot, let stamped = known.generation, known.id == remote.id,
      remote.generation ?? 0 < stamped
    {
      startsAgain = true
      isRestored = true
      notice =
        "the remote \(name) is older than before, as after a restore from a backup; nothing is deleted in this pass, and "
        + "newer versions are sent again"
    }
    if let seen = remote.generation, seen > memory.generation, !memory.isFirstPass {
      startsAgain = true
      notice =
        "the state folder is older than the remote \(name) remembers; this pass merges both sides, and nothing is deleted"
    }
  }

  private mutating func judge(
    _ root: RootIdentity, _ memory: RemoteMemory, on side: Side, _ name: String
  ) throws(SyncError) {
    let known = memory.root(of: side)
    let isElsewhere = known.map { $0.address != root.address } ?? true
    // A remote to which nothing was ever written has no marker.
    let isUnmarked = side == .remote && !isElsewhere && known?.id == nil
    guard let id = root.id else {
      guard isElsewhere || isUnmarked else { throw Self.vanished(root, side, name) }
      claims.insert(side)
      if isUnmarked { strangers.insert(side) } else if known != nil { startsAgain = true }
      return
    }
    guard let known else { return }
    if isUnmarked {
      strangers.insert(side)
      return
    }
    if known.id == id {
      // The same marker at another address: a replica that was moved, or an older copy of it, which would lack later changes.
      if side == .remote, isElsewhere, root.generation != memory.generation { startAgainElsewhere(root) }
      return
    }
    if isElsewhere {
      startAgainElsewhere(root)
    } else if side == .remote {
      throw Self.exchanged(root, name)
    } else {
      strangers.insert(side)
    }
  }

  private mutating func startAgainElsewhere(_ root: RootIdentity) {
    startsAgain = true
    notice = "\(root.address) is another folder than before; this pass merges both sides, and nothing is deleted"
  }

  private static func vanished(_ root: RootIdentity, _ side: Side, _ name: String) -> SyncError {
    switch side {
    case .local:
      SyncError(
        .wrongReplica,
        "the store \(root.address) no longer exists; nothing was changed. Mount its disk. If it has moved, change "
          + "`path` in [store]")
    case .remote:
      SyncError(
        .wrongReplica,
        "the remote \(name) at \(root.address) has lost its marker \(ReservedName.marker): the folder is missing, empty or another "
          + "one; nothing was changed. Check that the right disk is mounted", remedy: .reset(remote: name))
    }
  }

  private static func exchanged(_ root: RootIdentity, _ name: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "\(root.address) is not the replica that the remote \(name) knows: its marker \(ReservedName.marker) has another ID; "
        + "nothing was changed. Check that the right disk is mounted", remedy: .reset(remote: name))
  }
}
