import SyncKit

/// A device: its store and its archive stay when its process dies.
struct SimulatedDevice: Sendable {
  let index: Int
  /// The remotes that it syncs with.
  let remotes: [Int]
  let store: MemoryReplica
  let archive: MemoryArchive
  let world: World

  init(_ index: Int, remotes: [Int], seed: UInt64, isFirm: Bool) {
    let world = World.seeded(seed &+ UInt64(index))
    self.index = index
    self.remotes = remotes
    self.world = world
    store = MemoryReplica(address: "store of device \(index)", identity: "\(index)", isFirm: isFirm)
    archive = MemoryArchive(now: world.now)
  }

  var device: Device { Device(id: "device\(index)", name: "device\(index)") }
}
