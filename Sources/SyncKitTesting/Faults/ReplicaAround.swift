package import SyncKit

/// A replica that wraps another one and forwards every member that it does not override.
package protocol ReplicaAround: Replica {
  var replica: any Replica { get }
}

extension ReplicaAround {
  package var address: String { replica.address }

  package func capabilities() async throws(SyncError) -> Capabilities { try await replica.capabilities() }

  package func list(since known: Known) async throws(SyncError) -> Snapshot { try await replica.list(since: known) }

  package func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await replica.read(paths, into: sink)
  }

  package func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await replica.confirm(paths) }

  package func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await replica.commit(changes)
  }

  package func createRoot() async throws(SyncError) { try await replica.createRoot() }

  package func recover() async throws(SyncError) { try await replica.recover() }

  package func changes() -> AsyncStream<Void> { replica.changes() }

  package func diagnose() async throws(SyncError) -> [Finding] { try await replica.diagnose() }

  package func claim() async throws(SyncError) -> RootIdentity { try await replica.claim() }

  package func stamp(generation: Int) async throws(SyncError) -> Bool {
    try await replica.stamp(generation: generation)
  }

  package func recorded(_ agreements: [Agreement]) async throws(SyncError) { try await replica.recorded(agreements) }
}
