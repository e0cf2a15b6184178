import SettingsRegistry
import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

/// Random edits on both sides, random faults, and then passes until quiet: both sides are equal and nothing is lost.
@Suite("Passes with random edits")
struct RandomPassTests {
  private static let names = ["a.org", "b.txt", "x", "x/a", "x/b", "d/e/f.org", "old", "new", "A.org"]

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
      for side in Side.allCases {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          number += 1
          await change(pair, side, number, &random)
        }
      }
      let share = Int.random(in: 0...3, using: &random)
      await trouble(pair, seed: random.next(), share: share)
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

  /// Writes, removes or renames a file; a folder never has the name of a file on the same side.
  private func change(_ pair: Pair, _ side: Side, _ number: Int, _ random: inout SplitMix64) async {
    let files = await pair.texts(side)
    let name = Self.names.randomElement(using: &random) ?? ""
    let isBlocked = files.keys.contains { $0.hasPrefix(name + "/") || name.hasPrefix($0 + "/") }
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where files[name] != nil: await pair.edit(side, [name: nil])
    case 1 where !isBlocked && files[name] == nil:
      guard let old = Self.names.filter({ files[$0] != nil }).randomElement(using: &random), let text = files[old],
        !name.hasPrefix(old + "/")
      else { return }
      await pair.edit(side, [old: nil])
      await pair.edit(side, [name: text])
    case 2 where !isBlocked: await pair.edit(side, [name: (files[name] ?? "") + "\(side) \(number);"])
    default: if !isBlocked { await pair.edit(side, [name: "\(side) \(number);"]) }
    }
  }

  /// A share of all changes, in eighths, has a wrong result.
  private func trouble(_ pair: Pair, seed: UInt64, share: Int) async {
    for side in Side.allCases {
      let random = Mutex(SplitMix64(state: seed))
      let isHit: @Sendable () -> Int? = {
        random.withLock { random in
          guard Int.random(in: 0..<8, using: &random) < share else { return nil }
          return Int.random(in: 0..<4, using: &random)
        }
      }
      await pair.put(around: side) { replica in
        Interference(
          replica: replica,
          answer: { _ in
            switch isHit() {
            case 0: .refused(nil)
            case 1: .postponed("busy")
            case 2: .failed(SyncError(.pathFailed, "no"))
            default: nil
            }
          },
          reply: { _, result in isHit() == 3 ? .unknown(SyncError(.unavailable, "lost")) : result })
      }
    }
  }
}
