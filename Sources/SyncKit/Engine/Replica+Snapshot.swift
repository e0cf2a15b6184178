extension Replica {
  /// Returns the replica's listing. A replica without a root has no files and no identity yet.
  public func snapshot(since known: Known) async throws(SyncError) -> Snapshot {
    do throws(SyncError) { return try await list(since: known) } catch {
      guard error.code == .notFound else { throw error }
      return SnapshotBuilder(since: known).finish(root: RootIdentity(address: address, id: nil))
    }
  }
}
