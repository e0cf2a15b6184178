/// The store as shared by the passes of several remotes: its operations are serialised.
///
/// An operation of the store is local, so no pass waits for another remote's server. For a pass, the writes of another one are
/// like a user's edits: each of its own writes has a condition.
package struct SharedReplica: Replica {
  let replica: any Replica
  private let turns = LockQueue()

  package init(_ replica: any Replica) { self.replica = replica }

  private func alone<Value>(_ work: () async throws(SyncError) -> Value) async throws(SyncError) -> Value {
    try await turns.withLock("", work)
  }

  package var address: String { replica.address }

  package func changes() -> AsyncStream<Void> { replica.changes() }

  package func capabilities() async throws(SyncError) -> Capabilities { try await replica.capabilities() }

  package func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await alone { () throws(SyncError) in try await replica.list(since: known) }
  }

  package func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await alone { () throws(SyncError) in try await replica.read(paths, into: sink) }
  }

  package func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await alone { () throws(SyncError) in try await replica.confirm(paths) }
  }

  package func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await alone { () throws(SyncError) in try await replica.commit(changes) }
  }

  package func createRoot() async throws(SyncError) {
    try await alone { () throws(SyncError) in try await replica.createRoot() }
  }

  package func recover() async throws(SyncError) {
    try await alone { () throws(SyncError) in try await replica.recover() }
  }

  package func diagnose() async throws(SyncError) -> [Finding] {
    try await alone { () throws(SyncError) in try await replica.diagnose() }
  }

  package func claim() async throws(SyncError) -> RootIdentity {
    try await alone { () throws(SyncError) in try await replica.claim() }
  }

  package func stamp(generation: Int) async throws(SyncError) -> Bool {
    try await alone { () throws(SyncError) in try await replica.stamp(generation: generation) }
  }

  package func recorded(_ agreements: [Agreement]) async throws(SyncError) {
    try await alone { () throws(SyncError) in try await replica.recorded(agreements) }
  }
}
