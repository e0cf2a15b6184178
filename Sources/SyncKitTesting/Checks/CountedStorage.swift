import SyncKit
import Synchronization

/// The number of requests that checks made to a storage; each element of a batch counts as one.
final class RequestCount: Sendable {
  private let count = Mutex(0)

  var total: Int { count.withLock { $0 } }

  func add(_ number: Int = 1) { count.withLock { $0 += number } }
}

/// A storage whose requests are counted.
struct CountedStorage: Storage {
  let storage: any Storage
  let count: RequestCount

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func createRoot() async throws(SyncError) {
    count.add()
    try await storage.createRoot()
  }

  func recover() async throws(SyncError) {
    count.add()
    try await storage.recover()
  }

  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    count.add()
    return try await storage.diagnose()
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    count.add()
    return try await storage.list(since: known)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    count.add(paths.count)
    return try await storage.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    count.add(paths.count)
    return try await storage.confirm(paths)
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    count.add(changes.count)
    return try await storage.commit(changes)
  }
}
