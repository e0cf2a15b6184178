/// The words of a text with their counts, for judging how alike two texts are and for proving that none is lost.
///
/// Words are known by 64-bit digests with a seed of the process, which take no memory of their own and no one can
/// make collide.
struct WordBag {
  private(set) var counts: [UInt64: Int] = [:]
  private(set) var total = 0

  /// How alike two texts are is judged by this number of their first words; more would tell no more and cost much.
  private static let sample = 20_000

  init() {}

  /// Words that are known by digests.
  init(_ digests: some Sequence<UInt64>) {
    for digest in digests {
      counts[digest, default: 0] += 1
      total += 1
    }
  }

  /// The words of a text: runs of letters, digits and bytes above 127, case ignored.
  init(_ text: Bytes) {
    add(text, times: 1, atMost: .max)
  }

  /// The first words of some lines, for judging likeness.
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

  /// The number of words that two bags have in common.
  func shared(with other: WordBag) -> Int {
    let (small, large) = counts.count <= other.counts.count ? (self, other) : (other, self)
    return small.counts.reduce(0) { $0 + min($1.value, large.counts[$1.key] ?? 0) }
  }

  /// How much of this text is in another one: 1 if all words are, 0 for none.
  func share(in other: WordBag) -> Double { total == 0 ? 0 : Double(shared(with: other)) / Double(total) }

  /// The Dice coefficient of two bags: 1 for equal ones, 0 if they share nothing; two empty bags are equal.
  func likeness(to other: WordBag) -> Double {
    if total + other.total == 0 { return 1 }
    return 2 * Double(shared(with: other)) / Double(total + other.total)
  }
}
