/// The words of a text with their counts, for measuring similarity and for proving that none is lost.
///
/// Words are represented by 64-bit digests with a seed of the process, which need no memory of their own and cannot be made to
/// collide.
struct WordBag {
  private(set) var counts: [UInt64: Int] = [:]
  private(set) var total = 0

  /// The number of words at the beginning that determine similarity; more would add little and cost much.
  private static let sample = 20_000

  init() {}

  /// Creates a bag from digests of words.
  init(_ digests: some Sequence<UInt64>) {
    for digest in digests {
      counts[digest, default: 0] += 1
      total += 1
    }
  }

  /// Creates a bag from the words of a text: runs of letters, digits and bytes above 127, ignoring case.
  init(_ text: Bytes) {
    add(text, times: 1, atMost: .max)
  }

  /// Creates a bag from the first words of some lines, for measuring similarity.
  init(sampling lines: some Sequence<Bytes>) {
    for line in lines where total < Self.sample { add(line, times: 1, atMost: Self.sample) }
  }

  var isEmpty: Bool { total == 0 }

  mutating func add(_ text: Bytes, times: Int, atMost limit: Int = .max) {
    let bytes = text.span
    var position = 0
    while position < bytes.count, total < limit {
      guard bytes[position].isWordByte else {
        position += 1
        continue
      }
      let start = position
      while position < bytes.count, bytes[position].isWordByte { position += 1 }
      counts[caselessFingerprint(bytes.extracting(start..<position)), default: 0] += times
      total += times
    }
  }

  /// Returns the words of both texts.
  func joined(with other: WordBag) -> WordBag {
    var joined = self
    joined.counts.merge(other.counts, uniquingKeysWith: +)
    joined.total += other.total
    return joined
  }

  /// Returns the number of common words.
  func shared(with other: WordBag) -> Int {
    let (small, large) = counts.count <= other.counts.count ? (self, other) : (other, self)
    return small.counts.reduce(0) { $0 + min($1.value, large.counts[$1.key] ?? 0) }
  }

  /// Returns the share of this text that is in another: 1 for all words, 0 for none.
  func share(in other: WordBag) -> Double { total == 0 ? 0 : Double(shared(with: other)) / Double(total) }

  /// Returns the Dice coefficient of two bags: 1 for equal ones, 0 without common words; two empty bags are equal.
  func likeness(to other: WordBag) -> Double {
    if total + other.total == 0 { return 1 }
    return 2 * Double(shared(with: other)) / Double(total + other.total)
  }
}
