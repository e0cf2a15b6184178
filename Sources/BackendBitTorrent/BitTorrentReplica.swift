import MeshState
import MeshStore
import SyncKit

/// This device's part of the mesh, connected to the other devices while it is used.
///
/// Only the beginning and the end of a pass look at the network: the first pass of a process waits a short time for another
/// device, and a pass that has written something waits until the linked devices have it. A device that meets no other one syncs with its
/// own folder, and others get the changes later.
struct BitTorrentReplica: Replica {
  let mesh: MeshReplica
  let network: MeshNetwork
  /// The longest time without progress that a pass waits for other devices.
  let wait: Duration
  /// The folders of this remote's former secrets.
  var former: [String] = []

  var address: String { mesh.address }

  func capabilities() async throws(SyncError) -> Capabilities { await mesh.capabilities() }

  func createRoot() async throws(SyncError) { try await mesh.createRoot() }

  func recover() async throws(SyncError) {
    try await mesh.recover()
    let isFirst = await network.helper == nil
    try await network.start()
    if isFirst { try await network.wait(atMost: wait) { () async throws(SyncError) in await network.hasMet } }
  }

  func claim() async throws(SyncError) -> RootIdentity { try await mesh.claim() }

  func list(since known: Known) async throws(SyncError) -> Snapshot { try await mesh.list(since: known) }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await mesh.read(paths, into: sink)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { try await mesh.confirm(paths) }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let results = try await mesh.commit(changes)
    try await network.serve()
    await network.announce()
    return results
  }

  func stamp(generation: Int) async throws(SyncError) -> Bool {
    try await network.wait(atMost: wait) { () async throws(SyncError) in try await network.isSpread() }
    return false
  }

  func recorded(_ agreements: [Agreement]) async throws(SyncError) {}

  func changes() -> AsyncStream<Void> {
    AsyncStream { continuation in
      let task = Task {
        for await _ in await network.changes() { continuation.yield() }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  func diagnose() async throws(SyncError) -> [Finding] {
    try await network.start()
    try await network.wait(atMost: wait) { () async throws(SyncError) in await network.hasMet }
    return await network.findings()
      + former.map { Finding(.note, "\($0) belongs to a former secret; remove it if you do not go back to that") }
  }
}
