/// A set of small integers, one bit each.
struct BitSet: Sendable {
  private var words: [UInt64]

  init(capacity: Int) {
    words = Array(repeating: 0, count: (capacity + 63) / 64)
  }

  mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }

  mutating func remove(_ index: Int) { words[index >> 6] &= ~(1 << UInt64(index & 63)) }

  func contains(_ index: Int) -> Bool { words[index >> 6] & 1 << UInt64(index & 63) != 0 }

  /// The number of integers in the set.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The integers below `limit` that are not in both sets, in order.
  static func notInBoth(_ a: BitSet, _ b: BitSet, below limit: Int) -> [Int] {
    var missing: [Int] = []
    for word in a.words.indices {
      var bits = ~(a.words[word] & b.words[word])
      while bits != 0 {
        let index = word * 64 + bits.trailingZeroBitCount
        if index < limit { missing.append(index) }
        bits &= bits - 1
      }
    }
    return missing
  }
}
