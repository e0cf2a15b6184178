import SyncKit

/// Counts the changes of a storage, and reports replaced versions to the ledger.
struct WatchedStorage: Storage {
  let storage: MemoryStorage
  let ledger: Ledger
  let writes: Tally

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { await storage.capabilities() }

  func createRoot() async throws(SyncError) { await storage.createRoot() }

  func recover() async throws(SyncError) { try await storage.recover() }

  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await storage.diagnose() }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await storage.list(since: known) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await storage.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await storage.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() { results[index] = try await carryOut(changes[index]) }
    return results.complete
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    let old = await storage.contents[change.path]
    let result = try await storage.commit(change: change)
    guard case .done = result else { return result }
    await writes.add()
    if let old, !ReservedName.isReserved(change.path.name) { await ledger.noteDisplaced(old) }
    return result
  }
}
