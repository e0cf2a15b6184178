import Foundation
import OrgKit
import Testing

/// Random files with realistic edits; `SYNCD_ORG_TRIPLES` sets how many, each failure names its seed.
///
/// Every law must hold where every entry has an ID. Without IDs two of them may fail, but only where the same edits keep
/// them once all entries have IDs: where an entry was not recognised.
@Suite("Laws of merging on random edits")
struct MergePropertyTests {
  private static let total = UInt64(ProcessInfo.processInfo.environment["SYNCD_ORG_TRIPLES"] ?? "") ?? 1500
  private static let batches = (0..<8 as Range<UInt64>).map { total * $0 / 8..<total * ($0 + 1) / 8 }

  @Test("identity, agreement, symmetry, absorption, and no word lost", arguments: batches)
  func laws(seeds: Range<UInt64>) {
    for seed in seeds {
      // Only words that the generator uses once: common ones may vanish here and appear there.
      for isIdentified in [false, true] {
        let versions = Versions(seed: seed, isIdentified: isIdentified)
        let broken = versions.brokenLaws { !$0.hasPrefix("w") }.filter { $0 != "absorption" }
        #expect(broken == [], "seed \(seed), \(isIdentified ? "with" : "without") IDs")
      }
      let identified = Versions(seed: seed, isIdentified: true)
      #expect(identified.absorptionFailures.filter { !$0.isExcused }.isEmpty, "seed \(seed) with IDs")
    }
  }

  @Test("three devices come to one file, in whatever order they meet", arguments: batches)
  func convergence(seeds: Range<UInt64>) {
    for seed in seeds {
      let versions = Versions(seed: seed, isIdentified: true)
      let failures = versions.convergenceFailures(with: Versions.third(seed: seed, isIdentified: true))
      #expect(failures.filter { !$0.isExcused }.isEmpty, "seed \(seed) with IDs")
    }
  }
}
