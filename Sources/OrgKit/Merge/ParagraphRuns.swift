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
    var base = versions.base
    for (side, other) in [(versions.ours, versions.theirs), (versions.theirs, versions.ours)] {
      for whole in unknown(side, in: base) {
        guard let run = run(of: side[whole], in: base, among: unknown(base, in: side)) else { continue }
        let joined = Paragraph(joining: base[run])
        let isTogether =
          other.contains { $0.isAlike(joined) } || self.run(of: joined, in: other, among: Array(other.indices)) != nil
        if isTogether { base.replaceSubrange(run, with: [joined]) }
      }
    }
    return base
  }

  /// Returns a side with split paragraphs joined as in the base. Additions of the other side beside the paragraph are not part
  /// of it.
  private static func joined(
    _ side: [Paragraph], as base: [Paragraph], beside other: [Paragraph]
  ) -> [Paragraph] {
    var side = side
    for whole in unknown(base, in: side) {
      let parts = other.contains { $0.isAlike(base[whole]) } ? unknown(side, in: base + other) : unknown(side, in: base)
      guard let run = run(of: base[whole], in: side, among: parts) else { continue }
      side.replaceSubrange(run, with: [Paragraph(joining: side[run])])
    }
    return side
  }

  /// Returns the paragraphs whose meaning no block of another version has.
  private static func unknown(_ paragraphs: [Paragraph], in others: [Paragraph]) -> [Int] {
    let meanings = Set(others.map(\.meaning))
    return paragraphs.indices.filter { paragraphs[$0].isParagraph && !meanings.contains(paragraphs[$0].meaning) }
  }

  /// Returns adjacent candidates that together have the meaning of a paragraph.
  private static func run(of whole: Paragraph, in parts: [Paragraph], among candidates: [Int]) -> Range<Int>? {
    for (place, first) in candidates.enumerated() where parts[first].isPart(of: whole) {
      var end = first + 1
      for next in candidates[(place + 1)...] where next == end && parts[next].isPart(of: whole) {
        end += 1
        if Paragraph(joining: parts[first..<end]).isAlike(whole) { return first..<end }
        if end - first == longestRun { break }
      }
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
}
