import SyncKit

internal import class GRDB.Database

/// The contents that are old enough to remove, and which of them are in use.
///
/// They are a sorted list: about thirty bytes for each of a million contents, and nothing if all contents are young.
struct OldContents {
  private var digests: [Digest] = []
  private var areNeeded: [Bool] = []

  /// An empty list.
  init() {}

  /// Reads the contents that the archive added at this age of its clock or before.
  init(until age: Int, _ db: Database) throws {
    let count = try db.first("SELECT count(*) FROM contents WHERE age <= ?", .integer(age)) { $0.integer(0) } ?? 0
    digests.reserveCapacity(count)
    try db.run("SELECT digest FROM contents WHERE age <= ? ORDER BY digest", .integer(age)) { columns in
      digests.append(try columns.digest(0))
    }
    // The binary search needs this order, and a damaged index might return another one.
    digests.sort()
    areNeeded = Array(repeating: false, count: digests.count)
  }

  /// Marks a content as in use, if it is in the list.
  mutating func need(_ digest: Digest) {
    if let index = index(of: digest) { areNeeded[index] = true }
  }

  /// Returns true if a content is in the list and not in use.
  func isExpired(_ digest: Digest) -> Bool { index(of: digest).map { !areNeeded[$0] } ?? false }

  private func index(of digest: Digest) -> Int? {
    var (low, high) = (0, digests.count)
    while low < high {
      let middle = (low + high) / 2
      if digests[middle] < digest { low = middle + 1 } else { high = middle }
    }
    return low < digests.count && digests[low] == digest ? low : nil
  }

  /// The contents that are not in use.
  var expired: [Digest] { digests.indices.filter { !areNeeded[$0] }.map { digests[$0] } }
}
