/// The entries of three versions, each once regardless of the versions that have it; files are entries without a parent.
struct EntityTable {
  let outlines: Three<Outline>
  let keywords: Keywords
  /// The node of an entity in each version.
  private(set) var entities: [Three<Int?>] = []
  /// The entity of every node.
  private(set) var numbers: Three<[Int]>
  /// The number of each node's text; equal texts have equal numbers.
  private let texts: Three<[Int32]>

  /// Matches the entries of three versions, given the matching roots of their files.
  init(_ outlines: Three<Outline>, files: [Three<Int?>], keywords: Keywords) {
    self.outlines = outlines
    self.keywords = keywords
    numbers = outlines.map { Array(repeating: -1, count: $0.nodes.count) }
    var table = LineTable()
    texts = outlines.map { table.numbers(ofEntries: $0) }
    var ours = EntryMatching(
      outlines.base, outlines.ours, roots: files.compactMap { pair($0.base, $0.ours) },
      texts: (texts.base, texts.ours), count: table.count, keywords: keywords)
    var theirs = EntryMatching(
      outlines.base, outlines.theirs, roots: files.compactMap { pair($0.base, $0.theirs) },
      texts: (texts.base, texts.theirs), count: table.count, keywords: keywords)
    EntryMatching.reconsider(&ours, &theirs)
    for file in files { add(file) }
    for node in outlines.base.nodes.indices where numbers.base[node] < 0 {
      add(Three(base: node, ours: ours.ofBase[node], theirs: theirs.ofBase[node]))
    }
    addNewEntries()
  }

  /// Returns true if an entity has the same text in two versions that have it, apart from stars.
  func isSame(_ entity: Int, _ one: Version, _ other: Version) -> Bool {
    let nodes = entities[entity]
    guard let left = nodes[one], let right = nodes[other] else { return false }
    if texts[one][left] == texts[other][right] { return true }
    return outlines[one].entryWithoutStars(left).span.isSame(as: outlines[other].entryWithoutStars(right).span)
  }

  /// Returns the parent of `entity` in one version; nil if the version lacks it.
  func parent(of entity: Int, in version: Version) -> Int? {
    guard let node = entities[entity][version] else { return nil }
    return numbers[version][outlines[version].nodes[node].parent]
  }

  /// Returns the titles on the path to an entity in one version.
  func path(of entity: Int, in version: Version) -> [Bytes] {
    guard var node = entities[entity][version] else { return [] }
    let outline = outlines[version]
    var titles: [Bytes] = []
    while outline.nodes[node].level > 0 {
      titles.append(Headline(outline.headline(node), keywords: keywords).title)
      node = outline.nodes[node].parent
    }
    return titles.reversed()
  }

  private mutating func add(_ entity: Three<Int?>) {
    if let node = entity.base { numbers.base[node] = entities.count }
    if let node = entity.ours { numbers.ours[node] = entities.count }
    if let node = entity.theirs { numbers.theirs[node] = entities.count }
    entities.append(entity)
  }

  /// Pairs entries that both sides added if they have the same ID, or are equal or bare headings under the same parent.
  private mutating func addNewEntries() {
    var additions = Additions(outlines.theirs, isNew: { [numbers] in numbers.theirs[$0] < 0 }, keywords: keywords)
    let isNew = { [numbers] (node: Int) in numbers.ours[node] < 0 }
    let namesakes = Namesakes(outlines.ours, isNew: isNew, keywords: keywords)
    for node in outlines.ours.nodes.indices where isNew(node) {
      let parent = entities[numbers.ours[outlines.ours.nodes[node].parent]].theirs
      let partner =
        additions.takePartner(of: node, in: outlines.ours, under: parent)
        ?? (namesakes.areAlone(node) ? additions.takeAlike(node, in: outlines.ours, under: parent) : nil)
      add(Three(base: nil, ours: node, theirs: partner))
    }
    for node in outlines.theirs.nodes.indices where numbers.theirs[node] < 0 {
      add(Three(base: nil, ours: nil, theirs: node))
    }
  }
}

/// The role of a version in a merge.
enum Version: CaseIterable {
  case base, ours, theirs
}

extension Three {
  subscript(version: Version) -> Value {
    switch version {
    case .base: base
    case .ours: ours
    case .theirs: theirs
    }
  }
}

private func pair(_ left: Int?, _ right: Int?) -> (Int, Int)? {
  guard let left, let right else { return nil }
  return (left, right)
}

/// The additions of one side, for finding those that the other side added as well.
private struct Additions {
  /// The feature by which an addition is matched; the first one wins.
  private enum Key: Hashable {
    case id(Bytes)
    case equal(parent: Int, [[UInt8]])
    case bare(parent: Int, title: [UInt8])
  }

  /// The minimum similarity at which new entries with the same title are one entry.
  private static let likeness = 0.9

  private var owners: [Key: [Int]] = [:]
  private var taken: Set<Int> = []
  private let outline: Outline
  private let namesakes: Namesakes
  private let keywords: Keywords

  init(_ outline: Outline, isNew: (Int) -> Bool, keywords: Keywords) {
    self.keywords = keywords
    self.outline = outline
    namesakes = Namesakes(outline, isNew: isNew, keywords: keywords)
    for node in outline.nodes.indices.reversed() where isNew(node) {
      for key in keys(of: node, in: outline, under: outline.nodes[node].parent) {
        owners[key, default: []].append(node)
      }
    }
  }

  /// Returns the addition that equals one of the other side, and removes it from the candidates.
  mutating func takePartner(of node: Int, in outline: Outline, under parent: Int?) -> Int? {
    for key in keys(of: node, in: outline, under: parent) {
      while let partner = owners[key]?.popLast() {
        if taken.insert(partner).inserted { return partner }
      }
    }
    return nil
  }

  /// Returns the addition with the same title under the same parent, if it is the only one on either side and the two are
  /// almost equal.
  mutating func takeAlike(_ node: Int, in other: Outline, under parent: Int?) -> Int? {
    let facts = EntryFacts(node, of: other, keywords: keywords)
    guard let parent, let partner = namesakes.only(facts.title, under: parent), !taken.contains(partner) else {
      return nil
    }
    let candidate = EntryFacts(partner, of: outline, keywords: keywords)
    guard facts.mayBe(candidate), facts.words.text.likeness(to: candidate.words.text) >= Self.likeness else {
      return nil
    }
    taken.insert(partner)
    return partner
  }

  private func keys(of node: Int, in outline: Outline, under parent: Int?) -> [Key] {
    let headline = Headline(outline.headline(node), keywords: keywords)
    let section = outline.section(node)
    let id = Section(section, isPreamble: false).drawer?["id"].map { Key.id($0) }
    guard let parent else { return id.map { [$0] } ?? [] }
    let equal = Key.equal(parent: parent, Meaning.of(headline, Section(section, isPreamble: false)))
    let bare = section.isEmpty ? Key.bare(parent: parent, title: headline.title.collapsed) : nil
    return [id, equal, bare].compactMap(\.self)
  }
}

/// The entries that one side added, by title and parent.
private struct Namesakes {
  private struct Name: Hashable {
    let parent: Int
    let title: [UInt8]
  }

  private var names: [Int: Name] = [:]
  private var nodes: [Name: [Int]] = [:]

  init(_ outline: Outline, isNew: (Int) -> Bool, keywords: Keywords) {
    for node in outline.nodes.indices where isNew(node) && outline.nodes[node].level > 0 {
      let name = Name(
        parent: outline.nodes[node].parent, title: EntryFacts(node, of: outline, keywords: keywords).title)
      names[node] = name
      nodes[name, default: []].append(node)
    }
  }

  /// Returns true if no other addition has this title under this parent.
  func areAlone(_ node: Int) -> Bool { names[node].flatMap { nodes[$0] }?.count == 1 }

  /// Returns the only addition with a title under a parent.
  func only(_ title: [UInt8], under parent: Int) -> Int? {
    let found = nodes[Name(parent: parent, title: title)] ?? []
    return found.count == 1 ? found[0] : nil
  }
}
