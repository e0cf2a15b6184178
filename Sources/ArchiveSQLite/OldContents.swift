import SyncKit

internal import class GRDB.Database

/// The contents that are old enough to remove, from which those in use are taken out.
///
/// They are held as a sorted list: some thirty bytes for each of a million contents, and nothing where all are young.
struct OldContents {
  private var digests: [Digest] = []
  private var areNeeded: [Bool] = []

  /// None.
  init() {}

  /// Those that the archive took in at this age of its own or before.
  init(until age: Int, _ db: Database) throws {
    let count = try db.first("SELECT count(*) FROM contents WHERE age <= ?", .integer(age)) { $0.integer(0) } ?? 0
    digests.reserveCapacity(count)
    try db.run("SELECT digest FROM contents WHERE age <= ? ORDER BY digest", .integer(age)) { columns in
      digests.append(try columns.digest(0))
    }
    // The order is what a search relies on, and an index is not to be trusted that far.
    digests.sort()
    areNeeded = Array(repeating: false, count: digests.count)
  }

  /// Keeps a content, if it is one of them.
  mutating func need(_ digest: Digest) {
    var (low, high) = (0, digests.count)
    while low < high {
      let middle = (low + high) / 2
      if digests[middle] < digest { low = middle + 1 } else { high = middle }
    }
    if low < digests.count, digests[low] == digest { areNeeded[low] = true }
  }

  /// The unused ones.
  var expired: [Digest] { digests.indices.filter { !areNeeded[$0] }.map { digests[$0] } }
}
