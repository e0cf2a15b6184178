import Foundation
import OrgKit
import ProgramTesting
import Synchronization
import Testing

/// Merges whose right result is known, because it was written from the tree of parts with both sides' edits.
///
/// `SYNCD_ORG_KNOWN` sets the number of seeds, `SYNCD_ORG_KNOWN_FROM` the first one; each failure prints its seed.
@Suite("Merges with known results")
struct KnownResultTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let total = UInt64(environment["SYNCD_ORG_KNOWN"] ?? "") ?? (isSoak ? 3_600_000 : 4_000)
  private static let start = UInt64(environment["SYNCD_ORG_KNOWN_FROM"] ?? "") ?? 0
  /// Eight batches, or as many batches of 20,000 seeds as needed.
  private static let batches = stride(from: start, to: start + total, by: Int(batchSize)).map { first in
    first..<min(start + total, first + batchSize)
  }
  private static let batchSize = max(1, min(20_000, total / 8))
  private static let all = Mutex(KnownTally())

  @Test("are merged as expected, and keep all laws", arguments: batches)
  func known(seeds: Range<UInt64>) {
    var tally = KnownTally()
    for seed in seeds {
      guard let triple = KnownTriple(seed: seed) else { continue }
      tally.add(KnownResult(triple), seed, triple)
    }
    Self.all.withLock { all in
      all.add(tally)
      print("seeds \(seeds): \(tally.summary)\nso far \(all.summary)\n\(all.pairTable)")
    }
    #expect(tally.wrong.isEmpty, "\(tally.wrong.prefix(5))")
    #expect(tally.broken.isEmpty, "\(tally.broken.prefix(5))")
    // The batches are small: an unnecessary conflict is rare, a wrong result never happens.
    #expect(tally.needless.count * 100 <= tally.total, "\(tally.needless.prefix(5))")
    #expect(tally.repeated.count * 50 <= tally.total, "\(tally.repeated.prefix(5))")
  }
}

extension KnownTriple {
  /// The triple of a seed; consecutive seeds take all ordered pairs of kinds of edits in turn.
  init?(seed: UInt64) {
    let count = UInt64(Edit.labels.count)
    self.init(seed: seed, Edit.labels[Int(seed % count)], Edit.labels[Int(seed / count % count)])
  }
}
