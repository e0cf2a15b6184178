import MeshState
import SyncKit

@testable import SyncKitTesting

/// A device of a simulated mesh: its store, its archive and its state survive its process.
struct MeshDevice: Sendable {
  let index: Int
  let store: MemoryReplica
  let archive: MemoryArchive
  let mesh: MemoryMesh
  let runtime: Runtime

  /// - Parameter milliseconds: The device's clock.
  init(_ index: Int, seed: UInt64, milliseconds: @escaping @Sendable () -> UInt64) {
    let runtime = Runtime.seeded(seed &+ UInt64(index))
    self.index = index
    self.runtime = runtime
    store = MemoryReplica(address: "store of device \(index)", identity: "\(index)")
    archive = MemoryArchive(now: runtime.now)
    mesh = MemoryMesh(writer: UInt64(index), milliseconds: milliseconds)
  }

  /// The name of the remote in the archive.
  static let remote = "mesh"

  /// Everything of the device that a backup of its whole disk has.
  struct Backup: Sendable {
    var files: [SyncPath: Content]
    var archive: MemoryArchive.Backup
    var head: MemoryMesh.Head
    var known: (store: Happenings.Knowledge, state: Happenings.Knowledge)
  }

  /// Runs one pass in a process of its own.
  func pass(
    _ engine: Simulation.Engine, life: Life, ledger: Ledger, writes: Tally,
    hasChanged: @escaping @Sendable (SyncPath) async -> Void
  ) async -> PassReport {
    let archive = MortalArchive(archive: archive, life: life)
    let report = await engine(
      PassParts(
        name: Self.remote, local: MortalReplica(replica: store, life: life, ledger: ledger, writes: writes),
        remote: MortalMesh(mesh: mesh, life: life, hasChanged: hasChanged), archive: archive, merger: LineMerger(),
        device: Device(id: "device\(index)", name: "device\(index)"), runtime: runtime, options: PassOptions()))
    if await life.hasCrashed { await self.archive.crash() }
    return report
  }
}
