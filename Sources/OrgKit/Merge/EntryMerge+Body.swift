extension EntryMerge {
  /// Merges the blocks of a section: their order, their gaps, and each of them by its kind.
  mutating func body(_ separate: Three<[Block]>) -> [Piece] {
    let blocks = ParagraphRuns.joined(separate)
    let matched = BlockMatching.match(blocks, isNew: isNew)
    var merged: [[Piece]] = []
    for part in matched.parts {
      merged.append(
        block(
          Three(
            base: part.base.map { blocks.base[$0] }, ours: part.ours.map { blocks.ours[$0] },
            theirs: part.theirs.map { blocks.theirs[$0] })))
    }
    let order = SequenceMerge.merge(
      matched.orders, survivors: Set(merged.indices.filter { !merged[$0].isEmpty }),
      rank: { number in Self.rank(matched.parts[number], blocks) }, text: { merged[$0].text })
    var pieces: [Piece] = []
    var predecessor: Int?
    for number in order {
      pieces += Piece.lines(gap(above: number, behind: predecessor, matched, blocks).lines)
      pieces += merged[number]
      predecessor = number
    }
    return pieces
  }

  /// Returns the rank of a block among those that both sides inserted at one place: logs belong above other blocks, and text
  /// below a footnote would become a part of it.
  private static func rank(_ part: Three<Int?>, _ blocks: Three<[Block]>) -> Int {
    switch part.ours.map({ blocks.ours[$0].kind }) ?? part.theirs.map({ blocks.theirs[$0].kind }) {
    case .log: -1
    case .footnote: 1
    default: 0
    }
  }

  /// Returns the block in the result; nothing if it was deleted.
  private mutating func block(_ block: Three<Block?>) -> [Piece] {
    let lines = block.map { $0.map { Array($0.lines) } ?? [] }
    guard let ours = block.ours, let theirs = block.theirs else { return oneSided(block, lines) }
    if let settled = lines.settled { return Piece.lines(settled) }
    if block.base == nil, case .footnote = ours.kind { return bothFootnotes(ours, theirs, lines) }
    if isNew, let settled = sameMeaning(ours, theirs) { return settled }
    if [ours, theirs, block.base ?? ours].allSatisfy(\.isResult) { return derived(lines, "results") }
    let kinds = Set([block.base?.kind ?? ours.kind, ours.kind, theirs.kind].map(\.unnamed))
    guard kinds.count == 1 else { return converted(block) ?? [Piece.blocks(lines)] }
    return sameKind(ours.kind, block, lines) ?? [Piece.blocks(lines)]
  }

  /// Returns the merged lines of blocks of one kind; nil for a conflict.
  private mutating func sameKind(_ kind: Block.Kind, _ block: Three<Block?>, _ lines: Three<[Bytes]>) -> [Piece]? {
    switch kind {
    case .paragraph, .comment, .rule:
      return TextMerge.prose(lines, byWords: options.mergesWords).map(Piece.lines)
    case .footnote, .inlineTask, .container, .drawer:
      return container(block)
    case .verbatim, .fixedWidth:
      return code(block, lines)
    case .encrypted:
      return nil
    case .dynamic:
      return derived(lines, "dynamic block")
    case .list:
      return list(block.map { $0?.lines ?? Lines([]) })
    case .table:
      return table(lines)
    case .log:
      return log(lines)
    case .properties:
      return properties(lines.map { $0.isEmpty ? nil : Lines($0) })
    case .keyword(let key):
      return keywordLine(key, lines)
    }
  }

  /// Merges two new paragraphs with the same meaning; nil if they differ, or are of another kind.
  private func sameMeaning(_ ours: Block, _ theirs: Block) -> [Piece]? {
    guard ours.kind == .paragraph, theirs.kind == .paragraph else { return nil }
    if Meaning.of(ours) == Meaning.of(theirs) { return Piece.lines(longer(ours.lines.bytes, theirs.lines.bytes).lines) }
    return ours.isRemainder(of: theirs) || theirs.isRemainder(of: ours)
      ? nil : [Piece.blocks(Three(base: [], ours: Array(ours.lines), theirs: Array(theirs.lines)))]
  }

  /// Merges two definitions of one label; both stay, because references mean one or the other.
  private mutating func bothFootnotes(_ ours: Block, _ theirs: Block, _ lines: Three<[Bytes]>) -> [Piece] {
    let texts = [ours, theirs].map { Meaning.of($0) }
    if texts[0] == texts[1] { return Piece.lines([ours.lines.bytes, theirs.lines.bytes].reduce([], longer).lines) }
    record(FieldConflict(bothStand: texts[0], texts[1], "footnote".utf8))
    let sides = precedes(texts[1], texts[0]) ? [theirs, ours] : [ours, theirs]
    return [.disputed(shown: sides[0].lines + [[]] + sides[1].lines, lines)]
  }

  /// Merges code by whole lines; the lines above it, such as header arguments, are a separate field.
  private func code(_ block: Three<Block?>, _ lines: Three<[Bytes]>) -> [Piece]? {
    let counts = block.map { block in block.map { $0.kind == .fixedWidth ? 0 : $0.affiliated + 1 } ?? 0 }
    let parts = lines.zip(counts)
    guard let head = TextMerge.code(parts.map { Array($0.prefix($1)) }),
      let content = TextMerge.code(parts.map { Array($0.dropFirst($1)) })
    else { return nil }
    return Piece.lines(head + content)
  }

  /// Merges dynamic blocks and results, which Org generates again, so that either version will do.
  private mutating func derived(_ lines: Three<[Bytes]>, _ name: String) -> [Piece] {
    if let merged = TextMerge.code(lines) { return Piece.lines(merged) }
    let sides = lines.sides.sorted { precedes($0.joined(separator: [.newline]), $1.joined(separator: [.newline])) }
    let texts = sides.map { Array($0.joined(separator: [.newline]))[...] }
    record(.derived, name, kept: texts[0], dropped: texts[1])
    return Piece.lines(sides[0])
  }

  /// Merges a block that only one side has: new there, or deleted by the other.
  private mutating func oneSided(_ block: Three<Block?>, _ lines: Three<[Bytes]>) -> [Piece] {
    guard let side = block.ours ?? block.theirs else { return [] }
    guard let base = block.base else { return Piece.lines(side.lines) }
    switch side.kind {
    case .log: return log(lines)
    case .properties: return properties(lines.map { $0.isEmpty ? nil : Lines($0) })
    default: break
    }
    if lines.base == (block.ours == nil ? lines.theirs : lines.ours) || !isEdited(base, side) { return [] }
    if case .keyword(let key) = side.kind { return removedKeywordLine(key, side, lines) }
    return [Piece.blocks(lines)]
  }

  /// Returns true if a side did more to a block than to remove lines: a tick is an edit, too, and so is white space in code.
  private func isEdited(_ base: Block, _ side: Block) -> Bool {
    let (before, after) = (WordlessMarks(base.lines), WordlessMarks(side.lines))
    if Meaning.of(base) == Meaning.of(side) { return before != after }
    return !side.isRemainder(of: base) || !after.areRemainder(of: before)
  }

  private func gap(above number: Int, behind predecessor: Int?, _ matched: MatchedParts, _ blocks: Three<[Block]>)
    -> Bytes
  {
    let places = matched.parts[number]
    let gap = Gap(
      versions: Three(
        base: places.base.map { place in version(blocks.base, place, matched.orders.base) },
        ours: places.ours.map { place in version(blocks.ours, place, matched.orders.ours) },
        theirs: places.theirs.map { place in version(blocks.theirs, place, matched.orders.theirs) }))
    let merged = gap.merged(behind: predecessor) {
      guard let predecessor else { return [] }
      let before = matched.parts[predecessor]
      return [before.ours.map { gapBehind($0, blocks.ours) }, before.theirs.map { gapBehind($0, blocks.theirs) }]
        .compactMap(\.self)
    }
    let kind = kind(of: number, matched, blocks)
    let wouldGrow = kind != nil && predecessor.map { self.kind(of: $0, matched, blocks) == kind } ?? false
    // Without a blank line between them, two paragraphs would become one.
    return merged.isEmpty && wouldGrow ? gap.versions.all.compactMap { $0?.lines }.reduce([], longer) : merged
  }

  /// Returns the kind of a part, if two adjacent parts of that kind are one.
  private func kind(of number: Int, _ matched: MatchedParts, _ blocks: Three<[Block]>) -> Block.Kind? {
    let part = matched.parts[number]
    let kinds = Set(
      [part.ours.map { blocks.ours[$0].kind }, part.theirs.map { blocks.theirs[$0].kind }].compactMap(\.self))
    return kinds.count == 1 ? kinds.first { $0.growsByLines } : nil
  }

  private func version(_ blocks: [Block], _ place: Int, _ order: [Int]) -> Gap.Version {
    Gap.Version(lines: joined(blocks[place].gap), predecessor: place == 0 ? nil : order[place - 1])
  }

  private func gapBehind(_ place: Int, _ blocks: [Block]) -> Bytes {
    place + 1 < blocks.count ? joined(blocks[place + 1].gap) : []
  }

  /// Returns blank lines as in the file.
  private func joined(_ lines: Lines) -> Bytes {
    Array(lines.map { $0 + [.newline] }.joined())[...]
  }
}
