import Foundation
import OrgKit
import ProgramTesting
import Testing

/// Random files with realistic edits; `SYNCD_ORG_TRIPLES` sets the number, each failure prints its seed.
///
/// The same edits are merged with and without IDs in all entries. If a law holds only with IDs, an entry without an ID was not
/// recognised.
@Suite("Laws of merging with random edits")
struct MergePropertyTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let total =
    UInt64(environment["SYNCD_ORG_TRIPLES"] ?? "") ?? (isSoak ? 10_000 : 400)
  private static let batches = (0..<8 as Range<UInt64>).map { total * $0 / 8..<total * ($0 + 1) / 8 }

  @Test("all laws hold if every entry has an ID", arguments: batches)
  func identified(seeds: Range<UInt64>) {
    for seed in seeds {
      let versions = Versions(seed: seed, isIdentified: true)
      let merge = versions.merged()
      // Common words may legitimately vanish here and appear there.
      let broken = versions.brokenLaws(of: merge) { !Sketch.isUnique($0) }.filter { $0 != "absorption" }
      #expect(broken == [], "seed \(seed)")
      let failures =
        versions.absorptionFailures(of: merge)
        + versions.convergenceFailures(of: merge, with: Versions.third(seed: seed, isIdentified: true))
      #expect(failures.filter { !$0.isExcused }.isEmpty, "seed \(seed)")
    }
  }

  @Test("identity, agreement and symmetry hold and no word is lost, also without IDs", arguments: batches)
  func unidentified(seeds: Range<UInt64>) {
    for seed in seeds {
      let versions = Versions(seed: seed)
      let broken = versions.brokenLaws(of: versions.merged()) { !Sketch.isUnique($0) }
      #expect(broken.filter { $0 != "absorption" } == [], "seed \(seed)")
    }
  }
}
