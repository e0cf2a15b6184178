import SyncKit

/// A storage as one process sees it, which may be killed between any two effects.
struct MortalStorage: Storage {
  let storage: any Storage
  let life: Life

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func createRoot() async throws(SyncError) {
    try await life.perform("create root") { () throws(SyncError) in try await storage.createRoot() }
  }

  func recover() async throws(SyncError) {
    try await life.perform("recover remote") { () throws(SyncError) in try await storage.recover() }
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await life.perform("list remote") { () throws(SyncError) in try await storage.list(since: known) }
  }

  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    try await life.perform("read remote \(path)") { () throws(SyncError) in
      try await storage.read(path, expecting: expected, into: sink)
    }
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await life.perform("confirm remote \(path)") { () throws(SyncError) in try await storage.confirm(path) }
  }

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await life.perform("write remote \(path)") { () throws(SyncError) in
      try await storage.write(content, to: path, if: condition)
    }
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await life.perform("remove remote \(path)") { () throws(SyncError) in
      try await storage.remove(path, if: condition)
    }
  }
}
