/// Proves that a merged entry contains everything that either side added, and nothing that one side deleted and the other did
/// not change.
///
/// Every word is counted in the base, on both sides and in the result. Where only one side changed the count, the result must
/// have exactly that count; where both did, the two changes add up, unless they may be the same change. The proof does not
/// depend on the merge, so that it detects an error in a merge rule.
struct Conservation {
  /// The words that a rule may drop or choose, which are not counted.
  private let derived: Set<UInt64>
  /// The words of every line.
  private let lines: Three<[[UInt64]]>
  /// The result, and the result without conflicts.
  private let merged: (all: [UInt64: Int], decided: [UInt64: Int])

  /// Prepares the proof for an entry; `decided` is the part of the result without conflicts.
  init(base: Bytes, ours: Bytes, theirs: Bytes, merged: Bytes, decided: Bytes, derived: [String]) {
    lines = Three(base: base, ours: ours, theirs: theirs).map(ProofTokens.lines)
    let all = Self.counts(ProofTokens.digests(of: merged))
    self.merged = (all, decided == merged ? all : Self.counts(ProofTokens.digests(of: decided)))
    self.derived = Set(derived.flatMap { ProofTokens.digests(of: Array($0.utf8)[...]) })
  }

  /// True if nothing is missing and nothing deleted reappears.
  var holds: Bool {
    let counts = lines.map { Self.counts($0.joined()) }
    let words = Set(counts.all.flatMap(\.keys)).union(merged.all.keys).subtracting(derived)
    let due = { (word: UInt64) in
      (counts.ours[word] ?? 0) + (counts.theirs[word] ?? 0) - (counts.base[word] ?? 0)
    }
    let doubtful = words.filter { merged.all[$0] ?? 0 < due($0) || merged.decided[$0] ?? 0 > max(0, due($0)) }
    if doubtful.isEmpty { return true }
    // Words that occur twice can be aligned in several ways; one reading that explains all counts suffices. Reading one side
    // through the other explains no more words than the side with more of them has.
    return CountBounds.readings(of: lines).contains { bounds in
      doubtful.allSatisfy { word in
        let most =
          bounds.isDirect
          ? bounds.most(of: word) : min(bounds.most(of: word), counts.sides.map { $0[word] ?? 0 }.max() ?? 0)
        return merged.all[word] ?? 0 >= min(due(word), bounds.least(of: word))
          && merged.decided[word] ?? 0 <= max(0, due(word), most)
      }
    }
  }

  private static func counts(_ words: some Sequence<UInt64>) -> [UInt64: Int] {
    words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}

/// The possible counts of a word in the result where both sides may have made the same change.
private struct CountBounds {
  private var least: [UInt64: Int] = [:]
  private var most: [UInt64: Int] = [:]
  private var added: (ours: [UInt64: Int], theirs: [UInt64: Int]) = ([:], [:])
  /// True if both sides are compared with the base.
  let isDirect: Bool

  /// Returns the possible readings: each side compared with the base, by words and by whole lines, or one side with the other's
  /// version of it. They are made one by one, because the first usually suffices.
  static func readings(of lines: Three<[[UInt64]]>) -> some Sequence<CountBounds> {
    let texts = lines.map { Array($0.joined()) }
    let numbers = Numbers(texts)
    let (ours, theirs) = (numbers.alignment(\.base, \.ours), numbers.alignment(\.base, \.theirs))
    let readings: [() -> CountBounds] = [
      { CountBounds(texts, ours, theirs, isDirect: true) },
      { CountBounds(lines) },
      { CountBounds(texts, ours, ours.followed(by: numbers.alignment(\.ours, \.theirs))) },
      { CountBounds(texts, theirs.followed(by: numbers.alignment(\.theirs, \.ours)), theirs) },
      { CountBounds(texts, ours, ours.followed(by: numbers.alignmentFromEnd(\.ours, \.theirs))) },
      { CountBounds(texts, theirs.followed(by: numbers.alignmentFromEnd(\.theirs, \.ours)), theirs) },
    ]
    return readings.lazy.map { $0() }
  }

  private init(_ texts: Three<[UInt64]>, _ ours: Alignment, _ theirs: Alignment, isDirect: Bool = false) {
    self.isDirect = isDirect
    let regions = ThreeWay(
      ours: ours, count: texts.ours.count, theirs: theirs, count: texts.theirs.count
    ).regions
    for region in regions {
      add(Three(base: texts.base[region.base], ours: texts.ours[region.ours], theirs: texts.theirs[region.theirs]))
    }
  }

  /// Reads the changes of whole lines.
  private init(_ lines: Three<[[UInt64]]>) {
    isDirect = true
    var numbers: [[UInt64]: Int32] = [:]
    let numbered = lines.map { lines in
      lines.map { line in
        let number = numbers[line] ?? Int32(numbers.count)
        numbers[line] = number
        return number
      }
    }
    let regions = ThreeWay(
      ours: Alignment(numbered.base, numbered.ours, symbols: numbers.count), count: lines.ours.count,
      theirs: Alignment(numbered.base, numbered.theirs, symbols: numbers.count), count: lines.theirs.count
    ).regions
    for region in regions {
      let changed = Three(
        base: lines.base[region.base], ours: lines.ours[region.ours], theirs: lines.theirs[region.theirs])
      let words = changed.map { Array($0.joined())[...] }
      // A side that has all lines of the other and none that the other replaced has made both changes.
      if Self.includes(changed.ours, changed.theirs, changed.base) {
        add(Three(base: words.base, ours: words.ours, theirs: words.base))
      } else if Self.includes(changed.theirs, changed.ours, changed.base) {
        add(Three(base: words.base, ours: words.base, theirs: words.theirs))
      } else {
        add(words)
      }
    }
  }

  private static func includes(
    _ side: ArraySlice<[UInt64]>, _ other: ArraySlice<[UInt64]>, _ base: ArraySlice<[UInt64]>
  )
    -> Bool
  {
    !other.isEmpty && other != base && isSubsequence(other, of: side)
      && Set(base).subtracting(other).isDisjoint(with: side)
  }

  private mutating func add(_ texts: Three<ArraySlice<UInt64>>) {
    let settled = texts.settled
    let areReplaced = areReplaced(texts)
    let counts = texts.map { words in words.reduce(into: [UInt64: Int]()) { $0[$1, default: 0] += 1 } }
    for word in Set(counts.all.flatMap(\.keys)) {
      let (base, ours, theirs) = (counts.base[word] ?? 0, counts.ours[word] ?? 0, counts.theirs[word] ?? 0)
      added.ours[word, default: 0] += max(0, ours - base)
      added.theirs[word, default: 0] += max(0, theirs - base)
      if settled == nil {
        // Either side may have deleted its words and added the same ones as the other.
        least[word, default: 0] += max(0, max(ours, theirs) - base)
        let replaced = max(0, min(base - ours, base - theirs))
        most[word, default: 0] += areReplaced ? max(ours, theirs) : max(0, ours + theirs - base) + replaced
      } else {
        let count = texts.ours == texts.base ? theirs : ours
        least[word, default: 0] += count
        most[word, default: 0] += count
      }
    }
  }

  /// Returns true if both sides deleted the words of the base and one wrote others instead.
  private func areReplaced(_ texts: Three<ArraySlice<UInt64>>) -> Bool {
    guard let new = texts.ours.isEmpty ? texts.theirs : texts.theirs.isEmpty ? texts.ours : nil else { return false }
    return WordBag(new).share(in: WordBag(texts.base)) < Self.share
  }

  /// A text that shares a smaller part of its words with another one is a new text.
  private static let share = 0.4

  /// Returns the minimum count, assuming that additions of both sides at different positions may be the same.
  func least(of word: UInt64) -> Int {
    (least[word] ?? 0) - min(added.ours[word] ?? 0, added.theirs[word] ?? 0)
  }

  func most(of word: UInt64) -> Int { most[word] ?? 0 }
}

/// Small numbers instead of digests.
private struct Numbers {
  private let versions: Three<[Int32]>
  private let count: Int

  init(_ texts: Three<[UInt64]>) {
    var numbers: [UInt64: Int32] = [:]
    versions = texts.map { words in
      words.map { word in
        let number = numbers[word] ?? Int32(numbers.count)
        numbers[word] = number
        return number
      }
    }
    count = numbers.count
  }

  func alignment(
    _ first: KeyPath<Three<[Int32]>, [Int32]>, _ second: KeyPath<Three<[Int32]>, [Int32]>
  ) -> Alignment {
    Alignment(versions[keyPath: first], versions[keyPath: second], symbols: count)
  }

  func alignmentFromEnd(
    _ first: KeyPath<Three<[Int32]>, [Int32]>, _ second: KeyPath<Three<[Int32]>, [Int32]>
  ) -> Alignment {
    Alignment(fromEnd: versions[keyPath: first], versions[keyPath: second], symbols: count)
  }
}

private func counts(_ words: ArraySlice<UInt64>) -> [UInt64: Int] {
  words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
}

/// The words of an entry for the proof, without stars, cookies, ticks, numbers and padding.
private enum ProofTokens {
  static func digests(of text: Bytes) -> [UInt64] { Array(lines(of: text).joined()) }

  /// Returns the words of every line.
  static func lines(of text: Bytes) -> [[UInt64]] {
    text.lines.compactMap { line in
      if line.isBlank || isFrame(line.trimmed) { return nil }
      var digests: [UInt64] = []
      add(meaning(withoutPlusKey(line))[...], to: &digests)
      return digests
    }
  }

  /// Returns the value of a `:KEY+:` line, and other lines unchanged: a common key does not make two of them similar.
  private static func withoutPlusKey(_ line: Bytes) -> Bytes {
    let content = line.trimmed
    guard content.first == .colon, let plus = content.firstIndex(of: UInt8(ascii: "+")),
      plus + 1 < content.endIndex, content[plus + 1] == .colon,
      content[..<plus].dropFirst().allSatisfy({ !$0.isBlank && $0 != .colon })
    else { return line }
    let value = content[(plus + 2)...].trimmedLeft
    return value.isEmpty ? line : value
  }

  /// Returns true for the delimiters of a drawer: an empty drawer is removed, and of two new ones only one stays.
  private static func isFrame(_ line: Bytes) -> Bool {
    line.first == .colon
      && (line.equals(ignoringCase: ":end:") || line.equals(ignoringCase: ":logbook:")
        || line.equals(ignoringCase: ":properties:") || line.equals(ignoringCase: ":clock:"))
  }

  /// Adds the words of a line; a line without words counts as a whole.
  private static func add(_ line: Bytes, to digests: inout [UInt64]) {
    let (bytes, before) = (line.span, digests.count)
    var position = 0
    while position < bytes.count {
      guard bytes[position].isWordByte else {
        position += 1
        continue
      }
      let start = position
      position = timestampEnd(bytes, start) ?? position
      while position < bytes.count, bytes[position].isWordByte { position += 1 }
      digests.append(fingerprint(bytes.extracting(start..<position)))
    }
    if digests.count == before, !line.isEmpty { digests.append(fingerprint(bytes)) }
  }

  /// Returns the end of a date, which changes as a whole: four digits and a hyphen after a bracket, up to the next bracket.
  private static func timestampEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard start > 0, bytes[start - 1] == UInt8(ascii: "<") || bytes[start - 1] == UInt8(ascii: "["),
      start + 4 < bytes.count, bytes[start + 4] == UInt8(ascii: "-"),
      (start..<start + 4).allSatisfy({ bytes[$0].isDigit })
    else { return nil }
    let close = bytes[start - 1] == UInt8(ascii: "<") ? UInt8(ascii: ">") : UInt8(ascii: "]")
    let end = bytes.first(close, from: start, to: bytes.count)
    return end < bytes.count ? end : nil
  }

  private static func meaning(_ line: Bytes) -> [UInt8] {
    if line.first == .star { return Meaning.item(line.drop { $0 == .star }.trimmedLeft) }
    return line.trimmedLeft.first == UInt8(ascii: "|") ? Meaning.row(line) : Meaning.item(line)
  }
}
