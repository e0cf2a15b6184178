public import SyncKit

/// The diagnosis of the tree.
extension FileTree {
  /// Reports what can be listed, and if the system reports changes in all of it. Throws `.notFound` if the root does not exist.
  public func diagnose() async throws(SyncError) -> [Finding] {
    if !createsRoot { try requireRoot() }
    let (builder, findings) = try walk(openRoot(), since: Known())
    let snapshot = builder.finish(root: RootIdentity(address: path, id: nil))
    return [Finding(.good, "\(path) is reachable and holds \(snapshot.count.counted("file"))")]
      + Self.unreadable(in: snapshot) + [elsewhere(findings), unwatchable(of: findings.folders)].compactMap(\.self)
  }

  /// Reports the files that cannot be synced.
  private static func unreadable(in snapshot: Snapshot) -> [Finding] {
    snapshot.unread.compactMap { part in
      guard case .failed(let reason) = part.reason else { return nil }
      return Finding(.problem, "cannot read \(part.path), so it stays unchanged on all sides: \(reason)")
    }
  }

  /// Reports the files whose contents are only in a cloud.
  private func elsewhere(_ findings: Walk.Findings) -> Finding? {
    guard findings.elsewhere > 0 else { return nil }
    return Finding(
      .note,
      "the contents of \(findings.elsewhere.counted("file")) are in \(requests.cloud) and not on this machine, such as of "
        + findings.firstElsewhere)
  }

  /// Reports if the tree has more folders than the system can watch (inotify(7)).
  private func unwatchable(of folders: Int) -> Finding? {
    guard let watchLimit, folders > watchLimit else { return nil }
    return Finding(
      .note,
      "it has \(folders.counted("folder")), but the system watches only \(watchLimit) for all programs of a user: syncd "
        + "checks the others once per `interval`. To raise the limit, run `sysctl fs.inotify.max_user_watches="
        + "\(2 * folders)` as root, and add it to /etc/sysctl.d")
  }
}
