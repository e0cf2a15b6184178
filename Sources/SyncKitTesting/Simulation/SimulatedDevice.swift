import SyncKit

/// A device: its store and its archive stay when its process dies.
struct SimulatedDevice: Sendable {
  let index: DeviceIndex
  let store: MemoryReplica
  let archive: MemoryArchive
  let world: World

  init(_ index: DeviceIndex, seed: UInt64, isFirm: Bool) {
    let world = World.seeded(seed &+ UInt64(index.rawValue))
    self.index = index
    self.world = world
    store = MemoryReplica(address: "store of the \(index) device", identity: "\(index)", isFirm: isFirm)
    archive = MemoryArchive(now: world.now)
  }

  var device: Device { Device(id: "device\(index.rawValue)", name: "\(index)") }
}
