package import SyncKit

/// What a user has reviewed of the changes of one remote.
package struct RemoteReview: Sendable {
  /// The only changes to make; nil for all.
  package var changes: Set<PlannedChange>?
  /// The deletions that need no further approval.
  package var approved: Set<HeldItem>

  package init(changes: Set<PlannedChange>? = nil, approved: Set<HeldItem> = []) {
    self.changes = changes
    self.approved = approved
  }
}

extension Workspace {
  /// Opens a replica of this workspace: a remote, or the store for nil.
  package typealias Opening = @Sendable (RemoteConfiguration?) async throws(SyncError) -> any Replica

  /// Syncs `remotes` with the store. Both `--once` and the service assemble passes only here.
  ///
  /// - Parameters:
  ///   - options: `options` of this workspace, with additions of the run.
  ///   - reviews: what a user has reviewed, by remote; a remote without a review makes all changes.
  ///   - open: opens the replicas; nil to open them again in each run.
  /// - Returns: one report for each remote, in their order.
  package func sync(
    _ remotes: [RemoteConfiguration], _ options: SyncSession.Options, reviews: [String: RemoteReview] = [:],
    opening open: Opening? = nil,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async -> [PassReport] {
    do throws(SyncError) {
      let open = open ?? openAgain
      let session = SyncSession(
        archive: archive, merger: try await merger(), device: device, options: options,
        store: { _ throws(SyncError) in try await open(nil) },
        remotes: remotes.map { remote in
          var part = SyncSession.Remote(remote.name, mode: remote.settings.mode) { _ throws(SyncError) in
            try await open(remote)
          }
          (part.include, part.exclude) = remote.patterns
          (part.conflicts, part.conflictRules) = (remote.settings.conflicts, remote.settings.conflictRules)
          if let review = reviews[remote.name] { (part.onlyChanges, part.approved) = (review.changes, review.approved) }
          part.view = stack.view(for: remote)
          return part
        })
      return await session.run(progress: progress)
    } catch {
      return remotes.map { PassReport(remote: $0.name, failure: error) }
    }
  }

  @Sendable private func openAgain(_ remote: RemoteConfiguration?) async throws(SyncError) -> any Replica {
    if let remote { try await stack.open(remote) } else { try await stack.openStore() }
  }

  /// The options of passes in the settings.
  package var options: SyncSession.Options {
    var options = SyncSession.Options()
    options.include = configuration.store.settings.include.map(\.pattern)
    options.exclude = configuration.store.settings.exclude.map(\.pattern)
    options.conflicts = configuration.daemon.conflictPolicies
    options.deletions = configuration.daemon.maxDelete
    options.isDryRun = access == .readOnly
    options.describe = \.explanation
    return options
  }
}
