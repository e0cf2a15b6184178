package import ArchiveSQLite
package import SyncKit

extension DaemonConfiguration {
  /// The names of the remotes with `match`, which have only parts of the files.
  package var partialRemotes: Set<String> { Set(remotes.filter { $0.match != nil }.map(\.name)) }
}

extension Workspace {
  /// Returns the previous versions of the whole file at `path`, newest first: those of the store, and those of remotes that have whole
  /// files. A part of a file, restored, would remove the rest.
  package func wholeVersions(of path: SyncPath) async throws(SyncError) -> [DisplacedVersion] {
    let partial = configuration.partialRemotes
    return try await history.versions(of: path).filter { $0.side == .local || !partial.contains($0.remote) }
  }
}
