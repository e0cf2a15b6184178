import ArchiveSQLite
import SyncDaemon
import SyncKit

extension FileVersion {
  /// Returns the versions of a file, newest first, also those under former names. A file had another name if its first version was
  /// the last one of a file that the same pass removed.
  static func all(of path: SyncPath, in workspace: Workspace) async throws(SyncError) -> [FileVersion] {
    var versions = try await all(at: path, in: workspace)
    var paths: Set<SyncPath> = [path]
    while let first = versions.lastIndex(where: \.isCreation),
      let former = try await formerPath(before: versions[first], of: versions[first].formerPath ?? path, in: workspace),
      paths.insert(former).inserted
    {
      versions[first].isCreation = false
      versions[first].isRename = true
      versions[first].cause = "renamed from \(former)"
      for version in try await all(at: former, in: workspace) where version.pass < versions[first].pass {
        var version = version
        version.formerPath = former
        versions.append(version)
      }
    }
    return versions
  }

  /// Returns the path of the file that got another name with its first version; nil if it was new.
  private static func formerPath(
    before version: FileVersion, of path: SyncPath, in workspace: Workspace
  ) async throws(SyncError) -> SyncPath? {
    guard let digest = version.digest, let pass = try await workspace.history.pass(version.pass) else { return nil }
    for action in pass.actions.map(\.action)
    where action.kind == .remove && action.result == .done && action.path != path {
      let state = try await workspace.history.state(of: action.path, afterPass: version.pass - 1)
      if state == .content(digest) { return action.path }
    }
    return nil
  }
}
