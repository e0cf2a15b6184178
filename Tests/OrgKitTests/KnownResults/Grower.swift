/// Makes random parts. Half of all documents use only a handful of words, so that lines, items and blocks repeat.
struct Grower {
  private var random: SeededGenerator
  private var count = 0
  private var newest = 10_000
  /// True if equal words, lines or blocks are likely, so that a moved part is ambiguous.
  private(set) var repeats: Bool
  let layout: Part.Layout
  private let mayCopy: Bool

  /// `mayCopy` allows equal blocks in one entry.
  init(seed: UInt64, mayCopy: Bool) {
    random = SeededGenerator(seed: seed)
    self.mayCopy = mayCopy
    repeats = Bool.random(using: &random)
    layout = Part.Layout(
      entryGap: Int.random(in: 0...1, using: &random), blockGap: 1, itemGap: chance(20, &random) ? 1 : 0)
  }

  private static let few = ["the", "milk", "end", "a", "call"]

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
    elements.randomElement(using: &random)
  }

  mutating func happens(_ percent: Int) -> Bool { chance(percent, &random) }

  private mutating func next() -> Int {
    count += 1
    return count
  }

  /// Returns a word that occurs nowhere else in the document.
  mutating func uniqueWord() -> String {
    newest += 1
    return "w\(newest)"
  }

  mutating func word() -> String {
    if repeats ? happens(85) : happens(15) { return pick(Self.few) ?? "" }
    return uniqueWord()
  }

  mutating func words(_ range: Range<Int>) -> [String] { (0..<number(range)).map { _ in word() } }

  // MARK: - Parts

  mutating func document(with kinds: [Part.Kind]) -> Part {
    var file = part(.file)
    var kinds = kinds
    if happens(60) { file.parts += preamble(&kinds) }
    for index in 0..<number(2..<4) {
      // In half of the cases the wanted kinds are in one entry.
      let wanted = happens(50) || index == 1 ? kinds : []
      kinds = wanted.isEmpty ? kinds : []
      file.parts.append(entry(depth: 1, wanted))
    }
    return file
  }

  private mutating func preamble(_ kinds: inout [Part.Kind]) -> [Part] {
    var keys = ["title", "author", "email", "language"].shuffled(using: &random)
    let lines = (0..<number(1..<4)).map { _ in part(.keyword, words: [keys.removeLast()] + words(2..<5)) }
    kinds.removeAll { $0 == .keyword }
    return lines + (happens(30) ? [block(.paragraph, depth: 0)] : [])
  }

  mutating func entry(depth: Int, _ wanted: [Part.Kind] = []) -> Part {
    var entry = part(.entry, words: [uniqueWord()] + words(3..<6))
    entry.state = happens(60) ? pick(["TODO", "NEXT"]) : nil
    entry.priority = happens(30) ? pick(["A", "B"]) : nil
    if happens(40) || wanted.contains(.tag) { entry.parts.append(parent(.tags, of: .tag, number(1..<3))) }
    if happens(40) || wanted.contains(.date) { entry.parts.append(parent(.planning, of: .date, 1)) }
    if happens(40) || wanted.contains(.property) {
      entry.parts.append(parent(.properties, of: .property, number(1..<4)))
    }
    if happens(20) || wanted.contains(.logbook) { entry.parts.append(block(.logbook, depth: 0)) }
    entry.parts += blocks(depth: 0, wanted)
    if mayCopy, happens(15) { addCopy(to: &entry) }
    if depth < 3, happens(depth == 1 ? 45 : 15) {
      for _ in 0..<number(1..<3) { entry.parts.append(self.entry(depth: depth + 1)) }
    }
    let hasTasks = entry.parts.contains { $0.kind == .entry && $0.state != nil }
    entry.hasCookie = happens(hasTasks ? 40 : 10) && !entry.hasBoxes
    return entry
  }

  /// Appends a copy of a block to the blocks of an entry, or inserts it next to the block.
  private mutating func addCopy(to entry: inout Part) {
    let places = entry.parts.indices.filter { entry.parts[$0].isBlock && entry.parts[$0].mayHaveCopy }
    guard let place = pick(places), let end = places.last else { return }
    let target = happens(50) ? place : end
    // Two adjacent lists would be one.
    if entry.parts[place].isList, entry.parts[target].isList || target + 1 < entry.parts.count { return }
    entry.parts.insert(copy(of: entry.parts[place]), at: target + 1)
    repeats = true
  }

  private mutating func copy(of part: Part) -> Part {
    Part(
      id: next(), kind: part.kind, words: part.words, state: part.state, priority: part.priority,
      isTicked: part.isTicked, hasCookie: part.hasCookie, indentation: part.indentation,
      hasOtherBullets: part.hasOtherBullets, parts: part.parts.map { copy(of: $0) })
  }

  private mutating func parent(_ kind: Part.Kind, of member: Part.Kind, _ count: Int) -> Part {
    var parent = part(kind)
    for _ in 0..<count { parent.parts.append(self.member(member, of: parent)) }
    return parent
  }

  private static let plain: [Part.Kind] = [
    .paragraph, .paragraph, .list, .numbered, .table, .source, .example, .verse, .fixedWidth, .comment, .quote, .drawer,
    .special, .inlineTask,
  ]

  /// Returns blocks, no two adjacent ones of which would merge into one, footnotes last.
  private mutating func blocks(depth: Int, _ wanted: [Part.Kind]) -> [Part] {
    let extra = (0..<number(depth == 0 ? 1..<4 : 1..<3)).compactMap { _ in
      pick(Self.plain.prefix(depth == 0 ? Self.plain.count : 7))
    }
    var kinds = (wanted.filter { Self.plain.contains($0) } + extra).shuffled(using: &random)
    if depth == 0, wanted.contains(.footnote) || happens(10) { kinds += [.footnote, .footnote] }
    return kinds.map { block($0, depth: depth) }
  }

  mutating func block(_ kind: Part.Kind, depth: Int) -> Part {
    var block = part(kind)
    switch kind {
    case .footnote: block.words = [uniqueWord()] + words(5..<9)
    case .keyword: block.words = [uniqueWord()] + words(2..<5)
    case .inlineTask: block.words = [uniqueWord()] + words(3..<5)
    default: break
    }
    switch kind {
    case .list, .numbered: append(.item, number(2..<5), to: &block, depth: depth)
    case .table: append(.row, number(2..<5), to: &block, depth: depth)
    case .quote, .special, .drawer, .inlineTask: block.parts = blocks(depth: 1, [.paragraph, .source])
    case .logbook: append(.note, number(1..<4), to: &block, depth: depth)
    case .footnote: append(.line, number(0..<2), to: &block, depth: depth)
    case .keyword: break
    default: append(.line, number(1..<5), to: &block, depth: depth)
    }
    if kind == .table, happens(60) { block.parts.append(member(.formula, of: block)) }
    return block
  }

  private mutating func append(_ kind: Part.Kind, _ count: Int, to block: inout Part, depth: Int) {
    for _ in 0..<count { block.parts.append(member(kind, of: block, depth: depth)) }
  }

  /// Returns a new part for `parent`; in half of the documents, with a copy of a sibling's text.
  mutating func member(_ kind: Part.Kind, of parent: Part, depth: Int = 0) -> Part {
    switch kind {
    case .entry: return entry(depth: 3)
    case .tag, .date, .property, .note, .formula: return field(kind, of: parent)
    case .row: return part(.row, words: parent.parts.first.map { row in row.words.map { _ in word() } } ?? words(3..<4))
    case .item:
      var item = part(.item, words: repeats && happens(30) ? [word()] : words(4..<8))
      let boxed = parent.parts.first.map { $0.isTicked != nil } ?? happens(40)
      item.isTicked = boxed ? happens(30) : nil
      if depth < 2, happens(12) {
        item.parts.append(block(.source, depth: 2))
      } else if depth < 2, happens(20) {
        item.parts.append(block(.list, depth: depth + 1))
      } else if happens(10) {
        item.parts.append(part(.line, words: words(4..<7)))
      }
      return item
    default:
      return part(.line, words: repeats && happens(30) ? [pick(Self.few) ?? ""] : words(5..<9))
    }
  }

  private mutating func field(_ kind: Part.Kind, of parent: Part) -> Part {
    let taken = Set(parent.parts.compactMap(\.words.first))
    switch kind {
    case .tag: return part(kind, words: [uniqueWord()])
    case .date:
      return part(kind, words: [taken.contains("DEADLINE:") ? "SCHEDULED:" : "DEADLINE:", date("<", ">")])
    case .property:
      return part(kind, words: [happens(15) ? "header-args+" : uniqueWord(), word(), word()])
    case .formula: return part(kind, words: ["$\(number(1..<9))=vsum($1)"])
    default:
      return part(kind, words: ["- Note taken on \(date("[", "]")) \\\\"])
    }
  }

  private mutating func date(_ open: String, _ close: String) -> String {
    newest += 1
    return
      "\(open)2024-\(10 + number(0..<3))-\(10 + number(0..<18)) Mon 1\(newest / 60 % 10):\(10 + newest % 50)\(close)"
  }

  private mutating func part(_ kind: Part.Kind, words: [String] = []) -> Part {
    Part(id: next(), kind: kind, words: words)
  }
}

private func chance(_ percent: Int, _ random: inout SeededGenerator) -> Bool {
  Int.random(in: 0..<100, using: &random) < percent
}
