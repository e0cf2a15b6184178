/// Matches the blocks of a section in three versions.
enum BlockMatching {
  /// Matches the blocks; if the entry is new on both sides, similar blocks match as well.
  static func match(_ blocks: Three<[Block]>, isNew: Bool) -> MatchedParts {
    let facts = blocks.map { $0.map(BlockFacts.init) }
    let names = facts.map(BlockFacts.names)
    var ours = pairs(facts.base, facts.ours, names.base, names.ours)
    var theirs = pairs(facts.base, facts.theirs, names.base, names.theirs)
    let meanings = facts.map { $0.map(\.identity) }
    PartMatching.pairReplaced(
      &ours, &theirs, kinds: facts.map { facts in { facts[$0].kind } }, meanings: meanings)
    return MatchedParts(ours, theirs, meanings: meanings) { added, places in
      added.pairEqual({ names.ours[$0] }, { names.theirs[$0] })
      places.pairEqual(&added, { facts.ours[$0].identity }, { facts.theirs[$0].identity })
      added.pairAlike(
        from: 1, { ($0, facts.ours[$0]) }, { ($0, facts.theirs[$0]) },
        likeness: { places.areOne($0.0, $1.0) && $0.1.isPartOrWhole(of: $1.1) ? 1 : 0 })
      if isNew {
        added.pairAlike(from: 0.6, { facts.ours[$0] }, { facts.theirs[$0] }, likeness: { $0.likeness(to: $1) })
      }
    }
  }

  private static func pairs(
    _ base: [BlockFacts], _ side: [BlockFacts], _ baseNames: [[UInt8]?], _ sideNames: [[UInt8]?]
  ) -> PartMatching {
    var matching = PartMatching(baseCount: base.count, sideCount: side.count)
    matching.pairEqual({ baseNames[$0] }, { sideNames[$0] })
    let equal = PartMatching(base.map(\.identity), side.map(\.identity))
    for case (let left, let right?) in equal.ofBase.enumerated()
    where matching.ofBase[left] == nil && matching.ofSide[right] == nil {
      matching.pair(left, right)
    }
    matching.pairAlike(
      from: 0.4, { (base[$0], base[$0].words) }, { (side[$0], side[$0].words) },
      likeness: { likeness(of: $0.0, $0.1, to: $1.0, $1.1) })
    matching.pairAlike(from: 0.8, { base[$0] }, { side[$0] }, likeness: { $0.likenessAsForm($1) })
    matching.pairNeighbours(
      { base[$0].kind }, { side[$0].kind },
      { base[$0].isEnclosed || base[$0].likeness(to: side[$1]) >= 0.15 })
    return matching
  }

  /// Returns the similarity of two blocks. If they differ only by added or only by removed lines, it is higher than that of
  /// blocks with the same number of common words.
  private static func likeness(
    of one: BlockFacts, _ words: WordBag, to other: BlockFacts, _ otherWords: WordBag
  ) -> Double {
    guard one.kind.unnamed == other.kind.unnamed else { return 0 }
    let likeness = words.likeness(to: otherWords)
    return likeness > 0 && one.hasLines(of: other) ? (1 + likeness) / 2 : likeness
  }
}

/// The features by which a block is matched.
private struct BlockFacts {
  let block: Block
  let identity: [UInt8]

  init(_ block: Block) {
    self.block = block
    identity = Meaning.of(block)
  }

  /// The kind of the block; Org may generate results of another kind.
  var kind: Block.Kind { block.isResult ? .dynamic : block.kind }

  var words: WordBag { WordBag(sampling: block.lines) }

  /// True for lists, tables, drawers, inline tasks and `#+begin_` blocks, which are recognisable by their delimiters.
  var isEnclosed: Bool {
    switch kind {
    case .list, .table, .container, .verbatim, .dynamic, .drawer, .inlineTask: true
    default: false
    }
  }

  func likeness(to other: BlockFacts) -> Double {
    kind == other.kind ? words.likeness(to: other.words) : 0
  }

  /// Returns the similarity of a paragraph to the text of a list or container.
  func likenessAsForm(_ other: BlockFacts) -> Double {
    guard kind == .paragraph, other.kind != .paragraph, let form = ParagraphForm(other.block) else { return 0 }
    return words.likeness(to: WordBag(sampling: form.text))
  }

  /// Returns true if one block has all lines of the other in order, as when a merge appended one to the other.
  func isPartOrWhole(of other: BlockFacts) -> Bool {
    block.isRemainder(of: other.block) || other.block.isRemainder(of: block)
  }

  /// Returns true if one block has all lines of the other, in order.
  func hasLines(of other: BlockFacts) -> Bool { block.hasLines(of: other.block) || other.block.hasLines(of: block) }

  /// Returns the name of each block: label, drawer name, header key, or the words of an inline task's title, if it occurs once;
  /// nil for others.
  static func names(_ facts: [BlockFacts]) -> [[UInt8]?] {
    let names = facts.map(\.name)
    var counts: [[UInt8]: Int] = [:]
    for name in names.compactMap(\.self) { counts[name, default: 0] += 1 }
    var seen: [[UInt8]: Int] = [:]
    return zip(facts, names).map { facts, name in
      guard let name else { return nil }
      // Drawers with the same name, or lines with the same key, are matched by their texts.
      switch facts.kind {
      case .keyword, .drawer, .inlineTask: if counts[name] != 1 { return nil }
      default: break
      }
      seen[name, default: 0] += 1
      return name + [0, UInt8(truncatingIfNeeded: seen[name] ?? 0)]
    }
  }

  private var name: [UInt8]? {
    switch kind {
    case .footnote(let label): Array("fn:".utf8) + label
    case .drawer(let name): Array("drawer:".utf8) + name
    case .inlineTask: Array("task:".utf8) + (block.body.first?.drop { $0 == .star }.collapsed ?? [])
    case .log: Array("log".utf8)
    case .properties: Array("properties".utf8)
    case .keyword(let key): Array("keyword:".utf8) + key
    default: nil
    }
  }
}

extension Block {
  /// Returns true if all lines are lines of another block, in order, so that the two differ only by removals.
  func isRemainder(of other: Block) -> Bool {
    kind == other.kind && kind.growsByLines && other.hasLines(of: self)
  }

  /// Returns true if all lines of another block are lines of this one, in order.
  func hasLines(of other: Block) -> Bool {
    other.lines.count <= lines.count && isSubsequence(other.lines.map(Meaning.item), of: lines.map(Meaning.item))
  }
}

extension Block.Kind {
  /// The kind without the name in the line that opens the block, which a side may change.
  var unnamed: Block.Kind {
    switch self {
    case .container: .container(name: [])
    case .verbatim: .verbatim(name: [])
    case .drawer: .drawer(name: [])
    default: self
    }
  }

  /// True if two adjacent blocks of this kind are one.
  var growsByLines: Bool {
    switch self {
    case .paragraph, .list, .table, .fixedWidth, .comment: true
    default: false
    }
  }
}
