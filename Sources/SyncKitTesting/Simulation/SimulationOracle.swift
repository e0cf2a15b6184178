import SyncKit

/// What has to be true of a simulated world, whatever happened in it. It shares no code with the engine.
struct SimulationOracle: Sendable {
  let world: SimulatedWorld

  /// P1: what the program displaced is live somewhere or held by an archive, durably.
  func checkNothingIsLost() async throws(SimulationFailure.Cause) {
    var safe: Set<Digest> = []
    for device in world.devices {
      safe.formUnion(await device.archive.library.durable)
      safe.formUnion(await device.store.contents.values.map(\.digest))
    }
    safe.formUnion(await world.remote.contents.values.map(\.digest))
    let lost = await world.ledger.displaced.subtracting(safe)
    guard lost.isEmpty else { throw .init("P1: \(lost.count) displaced versions are neither live nor held") }
  }

  /// Lets the devices sync undisturbed until nothing more is written; P6 says that it does not take long.
  func settle() async throws(SimulationFailure.Cause) {
    for _ in 0..<Self.rounds {
      let before = await world.writes.count
      var isHeld = false
      for device in world.devices {
        await device.archive.allowHeld(of: SimulatedWorld.remoteName)
        let report = await world.pass(of: device)
        if let failure = report.failure { throw .init("P8: an undisturbed pass failed: \(failure)") }
        isHeld = isHeld || report.hold != nil
      }
      if await world.writes.count == before, !isHeld { return }
    }
    throw .init("P6: after \(Self.rounds) undisturbed passes of each device something is still written or held")
  }

  private static let rounds = 6

  /// P3, P5, P6, P9: all is equal, every line that a person wrote and nobody took away is there, and the bases are true.
  func checkAgreement() async throws(SimulationFailure.Cause) {
    let remote = await world.remote.contents.filter { !ReservedName.isReserved($0.key.name) }.mapValues(\.digest)
    for device in world.devices {
      let store = await device.store.contents.mapValues(\.digest)
      guard store == remote else {
        throw .init("P6: the remote and the \(device.index) store differ: \(Self.difference(store, remote))")
      }
      let base = await device.archive.memory(of: SimulatedWorld.remoteName).base
      let agreed = Dictionary(uniqueKeysWithValues: (0..<base.count).map { (base[$0].path, base[$0].digest) })
      guard agreed == remote else {
        throw .init("P9: the base of the \(device.index) device is wrong: \(Self.difference(agreed, remote))")
      }
    }
    try await checkLines()
  }

  private func checkLines() async throws(SimulationFailure.Cause) {
    var live: Set<String> = []
    for content in await world.remote.contents.values { live.formUnion(await Lines.of(content)) }
    let lost = await world.ledger.owed.subtracting(live)
    guard lost.isEmpty else { throw .init("P5: nobody took away \(lost.sorted()), and it is nowhere") }
  }

  private static func difference(_ one: [SyncPath: Digest], _ other: [SyncPath: Digest]) -> String {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }
      .map { "\($0) is \(one[$0]?.short ?? "absent") and \(other[$0]?.short ?? "absent")" }.joined(separator: ", ")
  }
}
