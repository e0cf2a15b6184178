/// The words of a text with their counts, for judging how alike two texts are.
struct WordBag {
  private(set) var counts: [[UInt8]: Int] = [:]
  private(set) var total = 0

  init() {}

  /// Words are runs of letters, digits and bytes above 127, in lower case.
  init(_ lines: some Sequence<Bytes>) {
    for line in lines { add(line) }
  }

  init(_ text: Bytes) {
    add(text)
  }

  var isEmpty: Bool { total == 0 }

  private mutating func add(_ text: Bytes) {
    for word in text.split(whereSeparator: { !$0.isWordByte }) {
      counts[word.lowercased, default: 0] += 1
      total += 1
    }
  }

  /// The Dice coefficient of two bags: 1 for equal ones, 0 if they share nothing; two empty bags are equal.
  func likeness(to other: WordBag) -> Double {
    if total + other.total == 0 { return 1 }
    let (small, large) = counts.count <= other.counts.count ? (self, other) : (other, self)
    let shared = small.counts.reduce(0) { $0 + min($1.value, large.counts[$1.key] ?? 0) }
    return 2 * Double(shared) / Double(total + other.total)
  }
}
