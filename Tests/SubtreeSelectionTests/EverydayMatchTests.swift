import Foundation
import SyncKit
import SyncKitTesting
import Testing

/// 10,000 random edits on both ends of a remote with `match`, each of which is expected at a known place.
@Suite("Everyday edits with match")
struct EverydayMatchTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SYNCD_SOAK"] == "1"
  private static let seeds: UInt64 = isSoak ? 400 : 40
  private static let editsOfEachSeed = 250

  @Test("10,000 edits on both ends: nothing private was ever in the remote, and every edit is home at its place")
  func edits() async throws {
    let outcomes = try await withThrowingTaskGroup(of: EverydayBench.Outcome.self) { group in
      for seed in 0..<Self.seeds {
        group.addTask {
          var bench = try EverydayBench(seed: seed)
          return await bench.run(edits: Self.editsOfEachSeed)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for outcome in outcomes { if let problem = outcome.problem { Issue.record("\(problem)") } }
    var tally = EditTally()
    for outcome in outcomes { tally.add(outcome.tally) }
    print("edits with match: \(tally.total), \(tally.counts.sorted { $0.key < $1.key })")
    #expect(tally.total == Int(Self.seeds) * Self.editsOfEachSeed)
    for kind in EverydayEdit.home { #expect(tally.count(kind, on: .local) > 30, "\(kind)") }
    for kind in EverydayEdit.away { #expect(tally.count(kind, on: .remote) > 30, "\(kind)") }
  }
}
