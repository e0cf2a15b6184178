/// The lines of a text, regardless of order.
struct LineBag {
  /// The share of common lines from which two texts count as versions of one file.
  static let sameFile = 0.6

  private var counts: [ArraySlice<UInt8>: Int] = [:]
  private let size: Int

  init(_ text: [UInt8]) {
    size = text.count
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      counts[line, default: 0] += 1
    }
  }

  /// Returns true if the text has every line of another one, at least as often.
  func holds(_ other: LineBag) -> Bool { other.counts.allSatisfy { counts[$0.key, default: 0] >= $0.value } }

  /// Returns the share of common lines, relative to the larger text.
  func likeness(to other: LineBag) -> Double {
    let shared = counts.reduce(0) { sum, line in
      sum + min(line.value, other.counts[line.key] ?? 0) * (line.key.count + 1)
    }
    return Double(min(shared, max(size, other.size))) / Double(max(size, other.size, 1))
  }
}
