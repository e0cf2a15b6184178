public import SyncKit

/// What a diagnosis says about the tree.
extension FileTree {
  /// What can be listed, and whether the system can tell of changes in all of it. Throws `.notFound` if the root is not
  /// there.
  public func diagnose() async throws(SyncError) -> [Finding] {
    let (builder, _, folders) = try walk(openRoot(), since: Known())
    let snapshot = builder.finish(root: RootIdentity(address: path, id: nil))
    return [Finding(.good, "\(path) is reachable and holds \(snapshot.count.counted("file"))")]
      + Self.unreadable(in: snapshot) + [unwatchable(of: folders)].compactMap(\.self)
  }

  /// What keeps its files from being in sync.
  private static func unreadable(in snapshot: Snapshot) -> [Finding] {
    snapshot.unread.compactMap { part in
      guard case .failed(let reason) = part.reason else { return nil }
      return Finding(.problem, "cannot read \(part.path), so it stays unchanged on all sides: \(reason)")
    }
  }

  /// What follows if the tree has more folders than the system watches (inotify(7)).
  private func unwatchable(of folders: Int) -> Finding? {
    guard let watchLimit, folders > watchLimit else { return nil }
    return Finding(
      .note,
      "it has \(folders.counted("folder")), but the system watches only \(watchLimit) for all programs of a user: syncd "
        + "checks the others once per `interval`. To raise the limit, run `sysctl fs.inotify.max_user_watches="
        + "\(2 * folders)` as root, and add it to /etc/sysctl.d")
  }
}
