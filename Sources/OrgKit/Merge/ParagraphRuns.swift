/// Paragraphs that one version has as several and another as one: split or joined paragraphs are the same text with other blank
/// lines, and merge as one.
enum ParagraphRuns {
  /// Returns the blocks with such runs of paragraphs joined in all versions that have them.
  static func joined(_ blocks: Three<[Block]>) -> Three<[Block]> {
    guard blocks.all.contains(where: { $0.count != blocks.base.count }) else { return blocks }
    let versions = blocks.map { $0.map(Paragraph.init) }
    let base = joinedBase(versions)
    return Three(
      base: base.map(\.block), ours: joined(versions.ours, as: base, beside: versions.theirs).map(\.block),
      theirs: joined(versions.theirs, as: base, beside: versions.ours).map(\.block))
  }

  /// Returns the base with the paragraphs that a side joined, if they are adjacent on the other side too.
  private static func joinedBase(_ versions: Three<[Paragraph]>) -> [Paragraph] {
    let (ours, theirs) = (versions.ours, versions.theirs)
    // Both on the same base, or the sides would not be equal.
    let runs = joins(by: ours, of: versions.base, beside: theirs) + joins(by: theirs, of: versions.base, beside: ours)
    var base = versions.base
    for run in united(runs).reversed() { base.replaceSubrange(run, with: [Paragraph(joining: versions.base[run])]) }
    return base
  }

  /// Returns the paragraphs of the base that a side joined, if they are adjacent on the other side too.
  private static func joins(
    by side: [Paragraph], of base: [Paragraph], beside other: [Paragraph]
  ) -> [Range<Int>] {
    var candidates = unknown(base, in: side)
    var runs: [Range<Int>] = []
    // A paragraph that was edited may be like a run that another one has word for word.
    let wholes = unknown(side, in: base)
    for (isExact, whole) in wholes.map({ (true, $0) }) + wholes.map({ (false, $0) }) {
      guard let run = run(of: side[whole], in: base, among: candidates),
        !isExact || Paragraph.likeness(of: base[run], to: side[whole]) == 1
      else { continue }
      let joined = Paragraph(joining: base[run])
      let isTogether =
        other.contains { $0.isAlike(joined) } || self.run(of: joined, in: other, among: Array(other.indices)) != nil
      guard isTogether else { continue }
      runs.append(run)
      candidates.removeAll(where: run.contains)
    }
    return runs
  }

  /// Returns the ranges in order; those that overlap as one.
  private static func united(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }.reduce(into: []) { all, range in
      if let last = all.last, range.lowerBound < last.upperBound {
        all[all.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        all.append(range)
      }
    }
  }

  /// Returns a side with split paragraphs joined as in the base. Additions of the other side beside the paragraph are not part
  /// of it.
  private static func joined(
    _ side: [Paragraph], as base: [Paragraph], beside other: [Paragraph]
  ) -> [Paragraph] {
    var side = side
    for whole in unknown(base, in: side) {
      let parts =
        isWhole(base[whole], in: other, beside: base) ? unknown(side, in: base + other) : unknown(side, in: base)
      guard let run = run(of: base[whole], in: side, among: parts) else { continue }
      let joined = Paragraph(joining: side[run])
      if joined.meaning != base[whole].meaning, isAddition(to: side[run], of: base[whole], in: other, beside: base) {
        continue
      }
      side.replaceSubrange(run, with: [joined])
    }
    return side
  }

  /// Returns true if a run is more likely a paragraph of the other side with another one beside it: the other side has a part of
  /// the run, and did not split the paragraph.
  private static func isAddition(
    to run: ArraySlice<Paragraph>, of whole: Paragraph, in other: [Paragraph], beside base: [Paragraph]
  ) -> Bool {
    let known = Set(other.map(\.meaning))
    return run.contains { known.contains($0.meaning) }
      && self.run(of: whole, in: other, among: unknown(other, in: base)) == nil
  }

  /// Returns true if a side has a paragraph of the base unsplit.
  private static func isWhole(_ paragraph: Paragraph, in side: [Paragraph], beside base: [Paragraph]) -> Bool {
    side.contains { $0.isAlike(paragraph) } && run(of: paragraph, in: side, among: unknown(side, in: base)) == nil
  }

  /// Returns the paragraphs whose meaning no block of another version has; of equal paragraphs, those that it has no more of.
  private static func unknown(_ paragraphs: [Paragraph], in others: [Paragraph]) -> [Int] {
    let (here, there) = (counts(paragraphs), counts(others))
    let isRarer = here.contains { meaning, count in (1..<count).contains(there[meaning] ?? 0) }
    let partners = isRarer ? Alignment(paragraphs.map(\.meaning), others.map(\.meaning)).partners : []
    return paragraphs.indices.filter { index in
      let paragraph = paragraphs[index]
      guard paragraph.isParagraph, let count = there[paragraph.meaning] else { return paragraph.isParagraph }
      return count < here[paragraph.meaning] ?? 0 && partners[index] == nil
    }
  }

  private static func counts(_ paragraphs: [Paragraph]) -> [[UInt8]: Int] {
    paragraphs.lazy.filter(\.isParagraph).reduce(into: [:]) { $0[$1.meaning, default: 0] += 1 }
  }

  /// Returns the adjacent candidates that together are most similar to a paragraph; nil if none are similar.
  private static func run(of whole: Paragraph, in parts: [Paragraph], among candidates: [Int]) -> Range<Int>? {
    for (place, first) in candidates.enumerated() where parts[first].isPart(of: whole) {
      var end = first + 1
      var best: (end: Int, likeness: Double)?
      for next in candidates[(place + 1)...] where next == end && parts[next].isPart(of: whole) {
        end += 1
        let likeness = Paragraph.likeness(of: parts[first..<end], to: whole)
        if likeness > best?.likeness ?? 0 { best = (end, likeness) }
        if end - first == longestRun { break }
      }
      if let best { return first..<best.end }
    }
    return nil
  }

  /// The maximum number of paragraphs in a run, which keeps extreme inputs fast.
  private static let longestRun = 8
}

/// A block with the features of a paragraph.
private struct Paragraph {
  let block: Block
  let meaning: [UInt8]
  let words: WordBag

  init(_ block: Block) {
    self.block = block
    let isParagraph = block.kind == .paragraph && block.affiliated == 0
    meaning = isParagraph ? Meaning.of(block) : []
    words = isParagraph ? WordBag(sampling: block.lines) : WordBag()
  }

  /// Joins several adjacent paragraphs into one.
  init(joining parts: ArraySlice<Paragraph>) {
    let first = parts[parts.startIndex].block
    let whole = first.whole.joined(upTo: parts[parts.endIndex - 1].block.whole)
    self.init(Block(kind: .paragraph, whole, from: first.lines.startIndex, affiliated: first.affiliated))
  }

  var isParagraph: Bool { block.kind == .paragraph && block.affiliated == 0 }

  /// Returns true if at least half of the words are words of another, larger paragraph.
  func isPart(of whole: Paragraph) -> Bool {
    isParagraph && words.total < whole.words.total && 2 * words.shared(with: whole.words) >= words.total
  }

  func isAlike(_ other: Paragraph) -> Bool { isParagraph && words.likeness(to: other.words) >= 0.8 }

  /// Returns the share of words that some parts and a paragraph have in common, in order. Returns 0 if less than half of a part
  /// is in the paragraph, or if less than 0.8 is common and the texts differ by more than removed words.
  static func likeness(of parts: ArraySlice<Paragraph>, to whole: Paragraph) -> Double {
    if parts.reduce(WordBag(), { $0.joined(with: $1.words) }).likeness(to: whole.words) < 0.5 { return 0 }
    let texts = parts.map { WordList($0.block.lines.bytes).texts }
    let words = WordList(whole.block.lines.bytes).texts
    var partners = Alignment(Array(texts.joined()), words).partners[...]
    let shared = texts.map { text in
      defer { partners = partners.dropFirst(text.count) }
      return partners.prefix(text.count).count { $0 != nil }
    }
    guard zip(shared, texts).allSatisfy({ 2 * $0 >= $1.count }) else { return 0 }
    let (count, total) = (shared.reduce(0, +), texts.reduce(0) { $0 + $1.count })
    let likeness = 2 * Double(count) / Double(total + words.count)
    return likeness >= 0.8 || likeness >= 0.5 && count == min(total, words.count) ? likeness : 0
  }
}
