import SyncKit

/// The invariants of a simulated network. It shares no code with the engine.
struct SimulationOracle: Sendable {
  let network: SimulatedNetwork

  /// P1: every content that the program replaced is live somewhere or durably held by an archive.
  func checkNothingIsLost() async throws(SimulationFailure.Cause) {
    var safe: Set<Digest> = []
    for device in network.devices {
      safe.formUnion(await device.archive.library.durable)
      safe.formUnion(await device.store.contents.values.map(\.digest))
    }
    for remote in network.remotes { safe.formUnion(await remote.contents.values.map(\.digest)) }
    let lost = await network.ledger.displaced.subtracting(safe)
    guard lost.isEmpty else { throw .init("P1: replaced versions that are neither live nor held: \(lost.count)") }
  }

  /// Lets the devices sync undisturbed until nothing more is written; P6 limits the number of rounds.
  func syncUntilQuiet() async throws(SimulationFailure.Cause) {
    await network.ignoreNothing()
    var (quietRounds, approvals) = (0, 0)
    while quietRounds < Self.rounds, approvals < Self.approvals {
      let before = await network.writes.count
      var wasHeld = false
      for device in network.devices where try await run(device) { wasHeld = true }
      if await network.writes.count == before, !wasHeld { return }
      // While a person approves deletions, the world is not quiet.
      if wasHeld { approvals += 1 } else { quietRounds += 1 }
    }
    throw .init("P6: after \(quietRounds) undisturbed passes of each device, a pass still writes or holds changes")
  }

  /// The largest number of rounds in which nothing is held, and of those in which a person approves deletions.
  private static let (rounds, approvals) = (4, 8)

  /// Repeats the passes of a device until they bring no news, as the program does. Returns true if something was held.
  private func run(_ device: SimulatedDevice) async throws(SimulationFailure.Cause) -> Bool {
    var wasHeld = false
    for _ in 0..<3 {
      let before = await network.writes.count
      var isHeld = false
      for remote in device.remotes {
        await device.archive.allowHeld(of: SimulatedNetwork.name(ofRemote: remote))
        let report = await network.pass(of: device, with: remote)
        if let failure = report.failure { throw .init("P8: an undisturbed pass failed: \(failure)") }
        isHeld = isHeld || report.hold != nil
      }
      wasHeld = wasHeld || isHeld
      if await network.writes.count == before, !isHeld { break }
    }
    return wasHeld
  }

  /// Syncs until quiet; then every place must hold exactly what `place` held before: nothing reappears, is duplicated or is
  /// merged with itself.
  func spread(from replica: ReplicaID) async throws(SimulationFailure.Cause) {
    let expected = await edited(in: replica)
    try await syncUntilQuiet()
    for other in network.replicas {
      let found = await edited(in: other)
      guard found == expected else {
        throw .init("P6: only \(replica) was edited, but \(other) differs: \(Self.difference(found, expected))")
      }
      if !network.spared.isEmpty { try await checkInbox(in: other) }
    }
  }

  /// The files of a place that people edit.
  private func edited(in replica: ReplicaID) async -> [SyncPath: Digest] {
    await network.contents(of: replica).filter { !network.spared.contains($0.key) }.mapValues(\.digest)
  }

  /// P1, P5: the inbox of a place has each captured line once, and nothing else.
  private func checkInbox(in replica: ReplicaID) async throws(SimulationFailure.Cause) {
    let found = await Lines.of(await network.contents(of: replica)[StoreCommand.inbox]).sorted()
    let captured = await network.ledger.captured.sorted()
    guard found == captured else {
      throw .init("P5: the captured lines are \(captured), but \(replica) has \(found)")
    }
  }

  /// P3, P5, P6, P9: all places are equal, every line that a person wrote and no person removed exists, and the bases are true.
  func checkAgreement() async throws(SimulationFailure.Cause) {
    let files = await network.contents(of: .remote(0)).mapValues(\.digest)
    for replica in network.replicas {
      let found = await network.contents(of: replica).mapValues(\.digest)
      guard found == files else {
        throw .init("P6: remote 0 and \(replica) differ: \(Self.difference(found, files))")
      }
    }
    for device in network.devices {
      for remote in device.remotes {
        let memory = await device.archive.memory(of: SimulatedNetwork.name(ofRemote: remote))
        let base = memory.base
        let agreed = Dictionary(uniqueKeysWithValues: (0..<base.count).map { (base[$0].path, base[$0].digest) })
        guard agreed == files else {
          throw .init(
            "P9: the base of device \(device.index) and remote \(remote) is wrong: \(Self.difference(agreed, files))")
        }
        guard memory.intended.isEmpty else {
          throw .init(
            "P8: device \(device.index) still has intended changes for remote \(remote): \(memory.intended.map(\.path))"
          )
        }
      }
    }
    try await checkLines()
  }

  private func checkLines() async throws(SimulationFailure.Cause) {
    var live: Set<String> = []
    for content in await network.contents(of: .remote(0)).values { live.formUnion(await Lines.of(content)) }
    let lost = await network.ledger.owed.subtracting(live)
    guard lost.isEmpty else { throw .init("P5: lost without a removal by a user: \(lost.sorted())") }
  }

  private static func difference(_ one: [SyncPath: Digest], _ other: [SyncPath: Digest]) -> String {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }
      .map { "\($0) is \(one[$0]?.short ?? "absent") and \(other[$0]?.short ?? "absent")" }.joined(separator: ", ")
  }
}
