import SyncKit

/// A device: its store and its archive survive its process.
struct SimulatedDevice: Sendable {
  let index: Int
  /// The remotes that it syncs with.
  let remotes: [Int]
  let store: MemoryReplica
  let archive: MemoryArchive
  let runtime: Runtime

  init(_ index: Int, remotes: [Int], seed: UInt64, isFirm: Bool) {
    let runtime = Runtime.seeded(seed &+ UInt64(index))
    self.index = index
    self.remotes = remotes
    self.runtime = runtime
    store = MemoryReplica(address: "store of device \(index)", identity: "\(index)", isFirm: isFirm)
    archive = MemoryArchive(now: runtime.now)
  }

  var device: Device { Device(id: "device\(index)", name: "device\(index)") }
}
