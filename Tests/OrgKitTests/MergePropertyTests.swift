import Foundation
import OrgKit
import Testing

/// Random files with realistic edits; `SYNCD_ORG_TRIPLES` sets how many, each failure names its seed.
@Suite("Laws of merging on random edits")
struct MergePropertyTests {
  private static let total = UInt64(ProcessInfo.processInfo.environment["SYNCD_ORG_TRIPLES"] ?? "") ?? 1500
  private static let batches = (0..<8 as Range<UInt64>).map { total * $0 / 8..<total * ($0 + 1) / 8 }

  @Test("identity, agreement, symmetry, absorption, and no word lost", arguments: batches)
  func laws(seeds: Range<UInt64>) {
    for seed in seeds {
      // Only words that the generator uses once: common ones may vanish here and appear there.
      let broken = Versions(seed: seed).brokenLaws { !$0.hasPrefix("w") }
      #expect(broken == [], "seed \(seed)")
    }
  }

  @Test("three devices come to one file, in whatever order they meet", arguments: batches)
  func convergence(seeds: Range<UInt64>) {
    for seed in seeds {
      let (versions, third) = (Versions(seed: seed), Versions.third(seed: seed))
      guard Versions(base: versions.ours, ours: versions.theirs, theirs: third).haveDistinctTitles,
        versions.merged().content.map({ Versions(base: $0, ours: third, theirs: third).haveDistinctTitles }) ?? false
      else { continue }
      #expect(versions.converges(with: third), "seed \(seed)")
    }
  }
}
