import SyncKit

/// A storage whose changes are counted, and whose displaced versions the ledger is told of.
struct WatchedStorage: Storage {
  let storage: MemoryStorage
  let ledger: Ledger
  let writes: Tally

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { await storage.capabilities() }

  func createRoot() async throws(SyncError) { await storage.createRoot() }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await storage.list(since: known) }

  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    try await storage.read(path, expecting: expected, into: sink)
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence { try await storage.confirm(path) }

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    let old = await storage.contents[path]
    return await noted(try await storage.write(content, to: path, if: condition), at: path, old)
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    let old = await storage.contents[path]
    return await noted(try await storage.remove(path, if: condition), at: path, old)
  }

  private func noted(_ result: WriteResult, at path: SyncPath, _ old: Content?) async -> WriteResult {
    guard case .done = result else { return result }
    await writes.add()
    if let old, !ReservedName.isReserved(path.name) { await ledger.noteDisplaced(old) }
    return result
  }
}
