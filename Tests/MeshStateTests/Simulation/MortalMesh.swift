import SyncKit

@testable import SyncKitTesting

/// A device's part of a mesh as seen by one process, which may be killed between any two effects.
struct MortalMesh: Replica {
  let mesh: MemoryMesh
  let life: Life
  /// Called after each change that was made.
  let hasChanged: @Sendable (SyncPath) async -> Void

  var address: String { mesh.address }

  func capabilities() async throws(SyncError) -> Capabilities { await mesh.capabilities() }

  func createRoot() async throws(SyncError) {}

  func recover() async throws(SyncError) {}

  func changes() -> AsyncStream<Void> { mesh.changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await mesh.diagnose() }

  func stamp(generation: Int) async throws(SyncError) -> Bool { false }

  func recorded(_ agreements: [Agreement]) async throws(SyncError) {}

  func claim() async throws(SyncError) -> RootIdentity { await mesh.claim() }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    try await life.perform("list mesh") { () throws(SyncError) in await mesh.list(since: known) }
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await life.perform("read mesh") { () throws(SyncError) in try await mesh.read(paths, into: sink) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { await mesh.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      let change = changes[index]
      results[index] = try await life.perform("change mesh \(change.path)") { () throws(SyncError) in
        let result = try await mesh.commit(change: change)
        if case .done = result { await hasChanged(change.path) }
        return result
      }
    }
    return results.complete
  }
}
