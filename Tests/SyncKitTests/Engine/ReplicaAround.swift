import SyncKit

/// A replica around a replica. Tests replace the members that they are about.
protocol ReplicaAround: Replica {
  var replica: any Replica { get }
}

extension ReplicaAround {
  var address: String { replica.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await replica.capabilities() }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await replica.list(since: known) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await replica.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await replica.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] { try await replica.commit(changes) }

  func createRoot() async throws(SyncError) { try await replica.createRoot() }

  func recover() async throws(SyncError) { try await replica.recover() }

  func changes() -> AsyncStream<Void> { replica.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await replica.diagnose() }

  func claim() async throws(SyncError) -> RootIdentity { try await replica.claim() }

  func stamp(generation: Int) async throws(SyncError) -> Bool { try await replica.stamp(generation: generation) }

  func recorded(_ agreements: [Agreement]) async throws(SyncError) { try await replica.recorded(agreements) }
}
