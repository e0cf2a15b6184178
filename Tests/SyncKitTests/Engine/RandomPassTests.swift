import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

/// Random edits on both sides, random faults, and then passes until quiet: both sides are equal and nothing is lost.
@Suite("Passes with random edits")
struct RandomPassTests {
  @Test(
    "passes end with equal sides, and with every version live or in the history", arguments: 0..<200 as Range<UInt64>)
  func converge(seed: UInt64) async throws {
    var random = SplitMix64(state: seed &* 31 &+ 7)
    let policy = ConflictPolicy.allCases[Int(seed % 4)]
    let isFirm = seed % 3 != 0
    let pair = Pair(
      options: PassOptions(conflicts: policy, deletions: .count(.max)),
      store: MemoryReplica(address: "store", identity: "disk", isFirm: isFirm),
      remote: MemoryReplica(address: "remote", isFirm: isFirm))
    // These files are never edited, so that no side is ever empty.
    await pair.agree(on: ["keep1": "k1", "keep2": "k2"])
    var number = 0
    for _ in 0..<6 {
      await pair.editBothSides(&number, &random)
      await pair.failRandomly(upTo: 3, &random)
      let report = await pair.pass()
      // A content that was read but neither copied nor replaced is not in the history yet.
      if !report.leftSomething, Bool.random(using: &random) { await pair.archive.crash() }
    }
    for side in Side.allCases { await pair.put(around: side, nil) }
    for _ in 0..<3 { _ = await pair.pass() }
    let (report, isQuiet) = await pair.passes()
    #expect(isQuiet, "\(report.actions)")
    #expect(report.failure == nil && report.hold == nil)
    let (local, remote) = (await pair.texts(.local), await pair.texts(.remote))
    #expect(local == remote, "\(report.actions)")
    #expect(await pair.lost() == [])
  }
}
