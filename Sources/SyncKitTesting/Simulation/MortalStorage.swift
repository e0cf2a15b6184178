import SyncKit

/// A storage as seen by one process, which may be killed between any two effects. The changes of a batch happen one by one.
struct MortalStorage: Storage {
  let storage: any Storage
  let life: Life

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  func changes() -> AsyncStream<Void> { storage.changes() }

  func createRoot() async throws(SyncError) {
    try await life.perform("create root") { () throws(SyncError) in try await storage.createRoot() }
  }

  func recover() async throws(SyncError) {
    try await life.perform("recover remote") { () throws(SyncError) in try await storage.recover() }
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    try await life.perform("diagnose remote") { () throws(SyncError) in try await storage.diagnose() }
  }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await life.perform("list remote") { () throws(SyncError) in try await storage.list(since: known) }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths {
      results.append(
        try await life.perform("read remote \(path)") { () throws(SyncError) in
          try await storage.read(file: path, into: sink)
        })
    }
    return results
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    var results: [Presence] = []
    for path in paths {
      results.append(
        try await life.perform("confirm remote \(path)") { () throws(SyncError) in
          try await storage.confirm(file: path)
        })
    }
    return results
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      let change = changes[index]
      results[index] = try await life.perform("change remote \(change.path)") { () throws(SyncError) in
        try await storage.commit(change: change)
      }
    }
    return results.complete
  }
}
