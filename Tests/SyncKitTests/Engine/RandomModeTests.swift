import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

/// Random edits on both sides and passes in one mode, with random faults; then passes in the mode `both` until quiet.
@Suite("Passes in a mode with random edits")
struct RandomModeTests {
  @Test(
    "passes change only what the mode allows, and lose nothing when it is both again", arguments: RemoteMode.allCases,
    0..<60 as Range<UInt64>)
  func keep(mode: RemoteMode, seed: UInt64) async throws {
    var random = SplitMix64(state: seed &* 131 &+ 17)
    let isFirm = seed % 3 != 0
    // A remote that was never written to has no identity.
    let identity = isFirm && seed % 2 == 0 ? nil : "remote"
    let pair = Pair(
      options: PassOptions(conflicts: ConflictPolicy.allCases[Int(seed % 5)], deletions: .count(.max), mode: mode),
      store: MemoryReplica(address: "store", identity: "disk", isFirm: isFirm),
      remote: MemoryReplica(address: "remote", identity: identity, isFirm: isFirm))
    await pair.agree(on: ["keep1": "k1", "keep2": "k2"])
    var number = 0
    for _ in 0..<6 {
      await pair.editBothSides(&number, &random)
      await pair.failRandomly(upTo: 2, &random)
      try await passes(over: pair, in: mode)
    }
    for side in Side.allCases { await pair.put(around: side, nil) }
    let versions = Set(await pair.texts(.local).values).union(await pair.texts(.remote).values)
    await pair.set { $0.mode = .both }
    for _ in 0..<3 { _ = await pair.pass() }
    let (report, isQuiet) = await pair.passes()
    #expect(isQuiet && report.failure == nil && report.hold == nil && report.counts.ignored == 0, "\(report.actions)")
    let (local, remote) = (await pair.texts(.local), await pair.texts(.remote))
    #expect(local == remote, "\(report.actions)")
    #expect(await pair.missing(from: versions) == [])
  }

  /// Runs one pass, and checks which side it changed and that the archive has everything that it replaced.
  private func passes(over pair: Pair, in mode: RemoteMode) async throws {
    let before = (local: await pair.texts(.local), remote: await pair.texts(.remote))
    let report = await pair.pass()
    let after = (local: await pair.texts(.local), remote: await pair.texts(.remote))
    #expect(report.failure == nil && report.hold == nil)
    if mode == .send { #expect(after.local == before.local, "\(report.actions)") }
    if mode == .receive { #expect(after.remote == before.remote, "\(report.actions)") }
    if mode == .noDelete {
      #expect(Set(before.local.keys).isSubset(of: after.local.keys), "\(report.actions)")
      #expect(Set(before.remote.keys).isSubset(of: after.remote.keys), "\(report.actions)")
    }
    #expect(await pair.missing(from: Set(before.local.values).union(before.remote.values)) == [])
  }
}
