/// Merges prose word by word; white space is layout and never a conflict.
enum WordMerge {
  /// Returns the merged text; nil if both sides changed the same words, words without an unchanged one between them, or each
  /// more than half of the text: two rewrites are not combined.
  ///
  /// A word that occurs twice can be aligned in several ways. If two readings of the sides give different texts, the result is
  /// nil as well.
  static func merge(_ texts: Three<Bytes>) -> [UInt8]? {
    guard texts.all.allSatisfy({ $0.count <= longestText }) else { return nil }
    let versions = texts.map { WordList($0) }
    let lines = versions.map(\.lines)
    if lines.all.contains(where: { $0.count > 1 }), let readings = Readings.all(ofLines: lines),
      let merged = merge(versions, readings)
    {
      return merged
    }
    return merge(versions, Readings.all(of: versions.map(\.texts)))
  }

  /// Returns the text that all alignments give; nil if they differ.
  private static func merge(_ versions: Three<WordList>, _ readings: [Readings.Reading]) -> [UInt8]? {
    let merged = readings.compactMap { merge(versions, $0.ours, $0.theirs) }
    guard let first = merged.first, merged.allSatisfy({ $0.texts == first.texts }) else { return nil }
    return first.bytes
  }

  /// The maximum size of a text. Longer ones are not written by people, and splitting them takes much memory.
  private static let longestText = 1_000_000

  private static func merge(_ versions: Three<WordList>, _ ours: Alignment, _ theirs: Alignment) -> WordList? {
    let merge = ThreeWay(
      ours: ours, count: versions.ours.words.count, theirs: theirs, count: versions.theirs.words.count)
    let regions = merge.regions.map { region in
      Three(
        base: versions.base.words[region.base], ours: versions.ours.words[region.ours],
        theirs: versions.theirs.words[region.theirs])
    }
    if isRewritten(ours), isRewritten(theirs), areBothChanged(regions) { return nil }
    var merged = WordList(lead: versions.map(\.lead).layout)
    for words in regions {
      guard let part = mergedRegion(words) else { return nil }
      merged.words += part
    }
    return merged
  }

  private static func mergedRegion(_ words: Three<ArraySlice<Token>>) -> [Token]? {
    let texts = words.map { $0.map(\.text) }
    guard let part = texts.settled ?? texts.further else { return nil }
    guard words.all.allSatisfy({ $0.count == part.count }) else {
      let taken = words.sides.first { $0.map(\.text) == part } ?? []
      return withMergedEnd(Array(taken), words)
    }
    return part.indices.map { index in
      let spaces = words.map { $0[$0.startIndex + index].space }
      return Token(text: part[index], space: spaces.layout)
    }
  }

  /// Merges the white space after the last word, which the side whose words are not used may have changed.
  private static func withMergedEnd(_ taken: [Token], _ words: Three<ArraySlice<Token>>) -> [Token] {
    guard var last = taken.last, let base = words.base.last, let ours = words.ours.last, let theirs = words.theirs.last
    else { return taken }
    last.space = Three(base: base.space, ours: ours.space, theirs: theirs.space).layout
    return taken.dropLast() + [last]
  }

  /// Returns true if more than half of the words of the base are gone.
  private static func isRewritten(_ side: Alignment) -> Bool {
    2 * side.partners.count { $0 == nil } > side.partners.count
  }

  /// Returns true if each side changed something that the other did not.
  private static func areBothChanged(_ regions: [Three<ArraySlice<Token>>]) -> Bool {
    let texts = regions.map { $0.map { $0.map(\.text) } }
    return texts.contains { $0.theirs == $0.base && $0.ours != $0.base }
      && texts.contains { $0.ours == $0.base && $0.theirs != $0.base }
  }
}

/// A word and the white space after it.
struct Token {
  var text: Bytes
  var space: Bytes
}

/// A text as words; printing restores the text.
struct WordList {
  var lead: Bytes
  var words: [Token] = []

  init(lead: Bytes) {
    self.lead = lead
  }

  init(_ text: Bytes) {
    lead = text.prefix(while: Self.isSpace)
    var rest = text[lead.endIndex...]
    while !rest.isEmpty {
      let word = rest.prefix { !Self.isSpace($0) }
      let space = rest[word.endIndex...].prefix(while: Self.isSpace)
      words.append(Token(text: word, space: space))
      rest = rest[space.endIndex...]
    }
  }

  var texts: [Bytes] { words.map(\.text) }

  /// The words of each line.
  var lines: [[Bytes]] {
    var lines: [[Bytes]] = [[]]
    for word in words {
      lines[lines.count - 1].append(word.text)
      if word.space.contains(.newline) { lines.append([]) }
    }
    return lines
  }

  var bytes: [UInt8] {
    var bytes = Array(lead)
    for (index, word) in words.enumerated() {
      bytes += word.text
      bytes += index < words.count - 1 && word.space.isEmpty ? [.space] : word.space
    }
    return bytes
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte.isBlank || byte == .newline }
}
