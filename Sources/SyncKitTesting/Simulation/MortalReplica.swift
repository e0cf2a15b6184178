import SyncKit

/// A replica as seen by one process, which may be killed between any two effects. The changes of a batch happen one by one; the
/// ledger records what they replace.
struct MortalReplica: Replica {
  let replica: MemoryReplica
  let life: Life
  let ledger: Ledger
  let writes: Tally

  func recover() async throws(SyncError) {
    try await life.perform("recover store") { () throws(SyncError) in try await replica.recover() }
  }

  var address: String { replica.address }

  func capabilities() async throws(SyncError) -> Capabilities { await replica.capabilities() }

  func createRoot() async throws(SyncError) { try await replica.createRoot() }

  func changes() -> AsyncStream<Void> { replica.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await replica.diagnose() }

  func stamp(generation: Int) async throws(SyncError) -> Bool { false }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await life.perform("list store") { () throws(SyncError) in await replica.list(since: known) }
  }

  func claim() async throws(SyncError) -> RootIdentity {
    try await life.perform("claim store") { () throws(SyncError) in await replica.claim() }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await life.perform("read store \(paths)") { () throws(SyncError) in try await replica.read(paths, into: sink) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await life.perform("confirm store \(paths)") { () throws(SyncError) in await replica.confirm(paths) }
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      let change = changes[index]
      results[index] = try await life.perform("change store \(change.path)") { () throws(SyncError) in
        try await carryOut(change)
      }
    }
    return results.complete
  }

  func recorded(_ agreements: [Agreement]) async throws(SyncError) {
    try await life.perform("recorded in store") { () throws(SyncError) in try await replica.recorded(agreements) }
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    let old = await replica.contents[change.path]
    let result = try await replica.commit(change: change)
    if case .done = result {
      await writes.add()
      if let old { await ledger.noteDisplaced(old) }
    }
    return result
  }
}
