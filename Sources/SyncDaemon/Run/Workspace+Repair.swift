package import SyncKit

extension Workspace {
  /// Replaces a damaged store by one with the files that can be restored. Afterwards nothing counts as agreed with a remote: the next
  /// passes merge both sides and delete nothing. Throws `.invalidSettings` if a store of this kind has no repair.
  package func repairStore() async throws(SyncError) -> StoreRepair {
    let remotes = configuration.remotes.map(\.name)
    var agreed: [SyncPath: Digest] = [:]
    for remote in remotes {
      let base = try await archive.memory(of: remote).base
      for agreement in (0..<base.count).map({ base[$0] }) where agreed[agreement.path] == nil {
        agreed[agreement.path] = agreement.digest
      }
    }
    // First, so that a kill in between leaves nothing that counts as deleted.
    for remote in remotes {
      var record = Record(remote: remote)
      record.startsAgain = true
      try await archive.record(record)
    }
    guard let repair = try await stack.repairStore(agreed: agreed) else {
      throw SyncError(
        .invalidSettings,
        "a store with `backend = \"\(configuration.store.settings.backend)\"` has no repair; its files are ordinary files"
      )
    }
    return repair
  }
}
