package import SyncKit

extension Workspace {
  /// Opens a replica of this workspace: a remote, or the store if there is none.
  package typealias Opening = @Sendable (RemoteConfiguration?) async throws(SyncError) -> any Replica

  /// Syncs `remotes` with the store. Passes are assembled only here, for `--once` and for the service.
  ///
  /// - Parameters:
  ///   - options: `options` of this workspace, with what the run adds to it.
  ///   - open: opens the replicas; nil: each run opens them again.
  /// - Returns: one report for each remote, in their order.
  package func sync(
    _ remotes: [RemoteConfiguration], _ options: SyncSession.Options, opening open: Opening? = nil,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async -> [PassReport] {
    do throws(SyncError) {
      let open = open ?? openAgain
      let session = SyncSession(
        archive: archive, merger: try await merger(), device: device, options: options,
        store: { _ throws(SyncError) in try await open(nil) },
        remotes: remotes.map { remote in
          SyncSession.Remote(remote.name) { _ throws(SyncError) in try await open(remote) }
        })
      return await session.run(progress: progress)
    } catch {
      return remotes.map { PassReport(remote: $0.name, failure: error) }
    }
  }

  @Sendable private func openAgain(_ remote: RemoteConfiguration?) async throws(SyncError) -> any Replica {
    if let remote { try await stack.open(remote) } else { try await stack.openStore() }
  }

  /// What the settings say about passes.
  package var options: SyncSession.Options {
    var options = SyncSession.Options()
    options.include = configuration.store.settings.include.map(\.pattern)
    options.exclude = configuration.store.settings.exclude.map(\.pattern)
    options.conflicts = configuration.daemon.conflicts
    options.deletions = configuration.daemon.maxDelete
    options.isDryRun = access == .readOnly
    options.describe = \.explanation
    return options
  }
}
