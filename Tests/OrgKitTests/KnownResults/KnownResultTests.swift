import Foundation
import OrgKit
import Synchronization
import Testing

/// Merges whose right result is known, because it was written from the tree of parts with both sides' edits.
///
/// `SYNCD_ORG_KNOWN` sets the number of triples, `SYNCD_ORG_KNOWN_FROM` the number of the first; each failure prints its number.
/// `make soak` merges more of them with the optimized program `Tests/KnownMerges`.
@Suite("Merges with known results")
struct KnownResultTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let total = UInt64(environment["SYNCD_ORG_KNOWN"] ?? "") ?? 2_000
  private static let start = UInt64(environment["SYNCD_ORG_KNOWN_FROM"] ?? "") ?? 0
  /// Eight batches, or as many batches of 20,000 triples as needed.
  private static let batches = stride(from: start, to: start + total, by: Int(batchSize)).map { first in
    first..<min(start + total, first + batchSize)
  }
  private static let batchSize = max(1, min(20_000, total / 8))
  private static let all = Mutex(KnownTally())

  @Test("merges have the known result and obey all laws", arguments: batches)
  func known(seeds: Range<UInt64>) {
    var tally = KnownTally()
    for seed in seeds {
      guard let triple = KnownTriple.numbered(seed) else { continue }
      tally.add(KnownResult(triple), seed, triple)
    }
    Self.all.withLock { all in
      all.add(tally)
      print("seeds \(seeds): \(tally.summary)\nso far \(all.summary)\n\(all.pairTable)")
      for name in tally.needless + tally.repeated { print("conflict: \(name)") }
    }
    #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
    #expect(tally.broken.isEmpty, "\(tally.broken.prefix(5))")
    // The batches are small: an unnecessary conflict is rare, a wrong result never happens.
    #expect(tally.needless.count * 100 <= tally.total, "\(tally.needless.prefix(5))")
    #expect(tally.repeated.count * 50 <= tally.total, "\(tally.repeated.prefix(5))")
  }

  /// Each seed once broke a law, put text in the wrong place, or needed a person; the comments tell the cause.
  @Test(
    "merges that once went wrong have the known result",
    arguments: [
      2_102_987, 3_017_568, 5_019_853,  // an indented list, of which the base has more below
      3_001_891,  // a line `:KEY+:` beside a deleted one
      3_021_773, 5_035_394, 5_084_273,  // paragraphs split, joined or shortened
      2_056_929, 5_006_726, 5_013_429, 5_122_873,  // a shortened block beside a similar new one
      3_027_035, 5_116_179, 5_119_725,  // one of several equal blocks deleted
      5_020_576, 5_030_056, 5_081_299,  // different lines of one text changed
      6_000_812, 6_004_812,  // the same line added, and another changed
      8_049_424,  // a new paragraph of words that the other side deleted
      6_013_027,  // similar blocks added at two places
    ] as [UInt64])
  func known(seed: UInt64) throws {
    let result = KnownResult(try #require(KnownTriple(seed: seed)))
    #expect(result.outcome == .right || result.outcome == .spaced)
    #expect(result.broken == [])
  }

  /// The same for triples with equal blocks, by their numbers.
  @Test(
    "merges with equal blocks that once went wrong have the known result",
    arguments: [
      40_001_673,  // each device deletes another of two equal blocks, and one edits what is around its copy
      100_056_359,  // an item whose first line becomes that of the next one
      100_061_195,  // an item of one word is replaced, and the other device adds to its sub-items
      61_021_968,  // a copy is deleted, and a block added far away is a little like it
      61_022_962,  // a line is doubled, and the other device changes the line below
      200_001_285,  // words are added, and the other device writes a word again that occurs before
      700_018_099,  // one of two equal quotes is deleted, and another put above them
      1_000_184_667, 1_000_131_380, 1_000_174_764,  // one of two equal paragraphs is split
      1_000_154_078, 1_000_089_157, 1_000_084_021,  // an edited paragraph resembles others
    ] as [UInt64])
  func known(number: UInt64) throws {
    let result = KnownResult(try #require(KnownTriple.numbered(number)))
    #expect(result.outcome == .right)
    #expect(result.broken == [])
  }
}
