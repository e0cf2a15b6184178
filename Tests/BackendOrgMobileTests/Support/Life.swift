import SyncKit
import Synchronization

/// The lifetime of a process that ends before or after one of its effects; nothing happens after that.
final class Life: Sendable {
  private let left: Mutex<Int>
  private let count = Mutex(0)

  /// - Parameter steps: The number of moments between effects after which it ends.
  init(steps: Int = .max) { left = Mutex(steps) }

  /// The number of moments so far.
  var moments: Int { count.withLock { $0 } }
  var isOver: Bool { left.withLock { $0 <= 0 } }

  private func pass() throws(SyncError) {
    count.withLock { $0 += 1 }
    let isOver = left.withLock { left in
      left -= 1
      return left <= 0
    }
    if isOver { throw SyncError(.cancelled, "killed") }
  }

  /// Performs one effect, with a moment before and one after it.
  func perform<Value>(_ effect: () async throws(SyncError) -> Value) async throws(SyncError) -> Value {
    try pass()
    let value = try await effect()
    try pass()
    return value
  }

  func look() throws(SyncError) {
    if isOver { throw SyncError(.cancelled, "killed") }
  }
}

/// A storage in such a lifetime.
struct MortalStorage: Storage {
  let storage: any Storage
  let life: Life

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try life.look()
    return try await storage.list(since: known)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try life.look()
    return try await storage.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try life.look()
    return try await storage.confirm(paths)
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      results[index] = try await life.perform { () throws(SyncError) in
        try await storage.commit(change: changes[index])
      }
    }
    return results.complete
  }

  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await storage.diagnose() }

  func recover() async throws(SyncError) { try await storage.recover() }

  func createRoot() async throws(SyncError) { try await storage.createRoot() }
}

/// A journal in such a lifetime.
struct MortalJournal: Journal {
  let journal: any Journal
  let life: Life

  func records() async throws(SyncError) -> [String: [UInt8]] { try await journal.records() }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {
    try await life.perform { () throws(SyncError) in try await journal.write(records) }
  }
}
