import SyncKit

@testable import SyncKitTesting

/// The invariants of a simulated mesh. It shares no code with the state and the engine.
struct MeshOracle: Sendable {
  let network: MeshNetwork
  let seed: UInt64

  /// The maximum number of rounds until nothing changes any more.
  private static let rounds = 12

  /// Lets all devices meet and sync until nothing changes. Returns the number of rounds.
  func syncUntilQuiet() async throws(SimulationFailure.Cause) -> Int {
    var generator = SplitMix64(state: seed)
    for round in 0..<Self.rounds {
      let before = await facts()
      let order = network.devices.shuffled(using: &generator)
      if network.kind == .simultaneous {
        let heads = await network.allHeads()
        for device in order {
          for other in order where other.index != device.index {
            let (head, known) = heads[other.index]
            await network.join(head, known, by: device)
          }
        }
        for device in order { try await pass(device) }
      } else {
        for device in order {
          for other in order.shuffled(using: &generator) where other.index != device.index {
            await network.meet(device, other)
          }
          try await pass(device)
        }
      }
      if await facts() == before { return round }
    }
    throw .init("P6: no agreement after \(Self.rounds) rounds")
  }

  private func pass(_ device: MeshDevice) async throws(SimulationFailure.Cause) {
    await device.archive.allowHeld(of: MeshDevice.remote)
    let report = await network.pass(of: device)
    if let failure = report.failure { throw .init("P8: an undisturbed pass failed: \(failure)") }
  }

  /// All that can change.
  private struct Facts: Equatable {
    var files: [[SyncPath: Digest]] = []
    var states: [MemoryMesh.Facts] = []
    var holds = 0
  }

  private func facts() async -> Facts {
    var facts = Facts()
    for device in network.devices {
      facts.files.append(await device.store.contents.mapValues(\.digest))
      facts.states.append(await device.mesh.facts)
      facts.holds += await device.archive.memory(of: MeshDevice.remote).hold == nil ? 0 : 1
    }
    return facts
  }

  /// All stores, states and bases are equal, and every line is there that a person wrote and no person removed.
  func checkAgreement() async throws(SimulationFailure.Cause) {
    let first = network.devices[0]
    let (files, state) = (await first.store.contents.mapValues(\.digest), await first.mesh.facts)
    for device in network.devices {
      let found = await device.store.contents.mapValues(\.digest)
      guard found == files else { throw .init("P6: the stores of devices 0 and \(device.index) differ") }
      guard await device.mesh.facts == state else {
        throw .init("P6: the states of devices 0 and \(device.index) differ")
      }
      let memory = await device.archive.memory(of: MeshDevice.remote)
      let base = (0..<memory.base.count).map { memory.base[$0] }
      guard Dictionary(uniqueKeysWithValues: base.map { ($0.path, $0.digest) }) == files else {
        throw .init("P9: the base of device \(device.index) is wrong")
      }
      guard memory.intended.isEmpty else { throw .init("P8: device \(device.index) still has intended changes") }
    }
    guard state.contents == files.mapValues({ [$0] }) else { throw .init("P6: a state differs from the stores") }
  }

  func checkLines() async throws(SimulationFailure.Cause) {
    let files = await network.devices[0].store.contents
    var live: Set<String> = []
    var byPath: [SyncPath: Set<String>] = [:]
    for (path, content) in files {
      byPath[path] = Set(await Lines.of(content))
      live.formUnion(byPath[path] ?? [])
    }
    let lost = await network.ledger.owed.subtracting(live)
    guard lost.isEmpty else { throw .init("P5: lost without a removal by a person: \(lost.sorted())") }
    if await network.summary.renamings == 0 {
      for removal in await network.happenings.finalRemovals() {
        let back = removal.removed.intersection(byPath[removal.path] ?? [])
        guard back.isEmpty else { throw .init("\(removal.path) has a removed line again: \(back.sorted())") }
      }
    }
    guard network.kind == .alone else { return }
    guard await network.summary.merges == 0 else { throw .init("each file has one author, and something was merged") }
    let expected = await network.happenings.expectedFiles().mapValues { Digest(of: Lines.bytes($0)) }
    guard expected == files.mapValues(\.digest) else {
      throw .init("the files are not what their authors left: \(files.keys.sorted()), not \(expected.keys.sorted())")
    }
  }
}
