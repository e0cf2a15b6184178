/// The proof that a merged entry has everything that either side wrote.
///
/// A line that a side added must be in the result, as it is or, where lines were woven together, word by word; a line
/// that both sides kept must be there too. The proof knows nothing of how the merge came about, so that a mistake in
/// a rule cannot hide in it.
struct Conservation {
  private let base: Bag
  private let sides: [Bag]
  private let merged: Bag
  private let mergedText: Bytes
  /// Words of values that a rule may drop.
  private let derived: Set<UInt64>

  init(base: Bytes, ours: Bytes, theirs: Bytes, merged: Bytes, derived: [String]) {
    self.base = Bag(base)
    sides = [Bag(ours), Bag(theirs)]
    self.merged = Bag(merged)
    mergedText = merged
    self.derived = Set(derived.flatMap { WordBag(Array($0.utf8)[...]).counts.keys })
  }

  /// Whether nothing that a side wrote is missing.
  var holds: Bool { keepsCommonLines && sides.allSatisfy(hasAdditions) }

  private var keepsCommonLines: Bool {
    let missing = base.lines.filter { line, count in
      merged.lines[line] ?? 0 < min(count, sides[0].lines[line] ?? 0, sides[1].lines[line] ?? 0)
    }
    if missing.isEmpty { return true }
    // Where lines were woven together, at least all of their words are in the result.
    let words = WordBag(mergedText)
    return missing.keys.allSatisfy { line in
      WordBag(line.bytes).counts.keys.allSatisfy { words.counts[$0] != nil || derived.contains($0) }
    }
  }

  private func hasAdditions(of side: Bag) -> Bool {
    let missing = side.excess(over: base).excess(over: merged)
    if missing.lines.isEmpty { return true }
    // What is new in changed lines: their words less the words of the lines they were made of.
    let removed = base.excess(over: side).words
    let present = merged.excess(over: base).words
    return missing.words.counts.allSatisfy { word, count in
      count - (removed.counts[word] ?? 0) <= present.counts[word] ?? 0 || derived.contains(word)
    }
  }
}

/// The lines of an entry, without stars, counts, ticks, numbers and padding.
private struct Bag {
  private(set) var lines: [LineKey: Int] = [:]

  init(_ text: Bytes) {
    for line in text.lines where !line.isBlank { lines[LineKey(Self.meaning(line)[...]), default: 0] += 1 }
  }

  /// The lines that are here more often than there.
  func excess(over other: Bag) -> Bag {
    var excess = self
    for (line, count) in lines {
      let rest = count - (other.lines[line] ?? 0)
      excess.lines[line] = rest > 0 ? rest : nil
    }
    return excess
  }

  var words: WordBag {
    lines.reduce(into: WordBag()) { words, line in words.add(line.key.bytes, times: line.value) }
  }

  private static func meaning(_ line: Bytes) -> [UInt8] {
    if line.first == .star { return Meaning.item(line.drop { $0 == .star }.trimmedLeft) }
    return line.trimmedLeft.first == UInt8(ascii: "|") ? Meaning.row(line) : Meaning.item(line)
  }
}
