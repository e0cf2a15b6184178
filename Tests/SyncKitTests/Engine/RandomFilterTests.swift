import SettingsRegistry
import SyncKitTesting
import Testing

@testable import SyncKit

/// Random edits on both sides while the patterns of a remote change; then passes without patterns until quiet.
@Suite("Passes with a remote's own patterns and random edits")
struct RandomFilterTests {
  private static let filters: [PathFilter] = [
    PathFilter(), filter([], ["x"]), filter([], ["*.txt", "d/"]), filter(["*.org", "keep*"], []),
    filter(["old", "new", "keep*"], ["old"]), filter([], ["a.org", "new"]),
  ]

  private static func filter(_ include: [String], _ ignore: [String]) -> PathFilter {
    PathFilter().narrowed(include: include, ignore: ignore)
  }

  @Test(
    "passes change and delete nothing that the patterns exclude, and lose nothing", arguments: 0..<150 as Range<UInt64>)
  func changing(seed: UInt64) async throws {
    var random = SplitMix64(state: seed &* 37 &+ 5)
    let pair = try await edited(&random, seed) { $0.randomElement(using: &$1) }
    for side in Side.allCases { await pair.put(around: side, nil) }
    let versions = Set(await pair.texts(.local).values).union(await pair.texts(.remote).values)
    await pair.set { $0.filter = PathFilter() }
    for _ in 0..<3 { _ = await pair.pass() }
    let (report, isQuiet) = await pair.passes()
    #expect(isQuiet && report.failure == nil && report.hold == nil, "\(report.actions)")
    let (local, remote) = (await pair.texts(.local), await pair.texts(.remote))
    #expect(local == remote, "\(report.actions)")
    #expect(await pair.missing(from: versions) == [])
  }

  @Test("an excluded file is never brought to the other side", arguments: 0..<60 as Range<UInt64>)
  func staying(seed: UInt64) async throws {
    var random = SplitMix64(state: seed &* 41 &+ 3)
    let filter = Self.filters[1 + Int(seed) % (Self.filters.count - 1)]
    let pair = try await edited(&random, seed) { _, _ in filter }
    for side in Side.allCases { await pair.put(around: side, nil) }
    _ = await pair.passes()
    let (local, remote) = (await pair.texts(.local), await pair.texts(.remote))
    #expect(local.filter { filter.accepts(path($0.key)) } == remote.filter { filter.accepts(path($0.key)) })
  }

  /// Edits both sides and runs passes with the filters that `choose` returns. Each pass leaves excluded paths as they are.
  private func edited(
    _ random: inout SplitMix64, _ seed: UInt64, _ choose: ([PathFilter], inout SplitMix64) -> PathFilter?
  ) async throws -> Pair {
    let isFirm = seed % 3 != 0
    let pair = Pair(
      options: PassOptions(conflicts: ConflictPolicy.allCases[Int(seed % 5)], deletions: .count(.max)),
      store: MemoryReplica(address: "store", identity: "disk", isFirm: isFirm),
      remote: MemoryReplica(address: "remote", isFirm: isFirm))
    await pair.agree(on: ["keep1": "k1", "keep2": "k2"])
    var number = 0
    for _ in 0..<6 {
      await pair.editBothSides(&number, &random)
      await pair.failRandomly(upTo: 2, &random)
      let filter = choose(Self.filters, &random) ?? PathFilter()
      await pair.set { $0.filter = filter }
      try await pass(over: pair, filter)
    }
    return pair
  }

  private func pass(over pair: Pair, _ filter: PathFilter) async throws {
    func excluded(_ side: Side) async -> [String: String] {
      await pair.texts(side).filter { !filter.accepts(path($0.key)) }
    }
    let before = (local: await excluded(.local), remote: await excluded(.remote))
    let versions = Set(await pair.texts(.local).values).union(await pair.texts(.remote).values)
    let report = await pair.pass()
    #expect(report.failure == nil && report.hold == nil)
    #expect(await excluded(.local) == before.local, "\(report.actions)")
    #expect(await excluded(.remote) == before.remote, "\(report.actions)")
    #expect(await pair.missing(from: versions) == [])
  }
}
