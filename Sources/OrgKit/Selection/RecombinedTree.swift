/// The entries of a whole file after its part was edited: those of the edited part, and the hidden ones in their places.
///
/// Nodes below `count` are those of the whole file, the others those of the edited part that are new. A shown entry that the
/// edited part still has is one node, wherever it is now.
struct RecombinedTree {
  private let part: OrgPart
  private let edited: Outline
  /// The entry of the whole file for each entry of the edited part; nil for new ones.
  private let homes: [Int?]
  /// The entry of the edited part for each shown entry of the whole file; nil for deleted and hidden ones.
  private let images: [Int?]
  /// New entries of the edited part that the whole file has among its hidden ones.
  private let twins: Set<Int>
  private var children: [Int: [Int]] = [:]
  /// The levels at which top-level entries of the edited part are inserted.
  private var insertedLevels: [Int: Int] = [:]
  /// The nodes in the order of the file.
  private(set) var nodes: [Int] = []
  /// The level of each of `nodes`.
  private(set) var levels: [Int] = []

  private var whole: Outline { part.whole.outline }
  private var count: Int { whole.nodes.count }

  init(_ part: OrgPart, _ edited: Outline) {
    self.part = part
    self.edited = edited
    let matching = PartMatchingResult(part, edited)
    (homes, images, twins) = (matching.homes, matching.images, matching.twins)
    arrange()
    number(0, level: 0)
  }

  /// True if every hidden entry and every entry of the edited part has one place.
  var isComplete: Bool {
    let hidden = whole.nodes.indices.dropFirst().count { isHidden($0) }
    return Set(nodes).count == nodes.count && nodes.count == hidden + edited.nodes.count - 1 - twins.count
  }

  var deepestLevel: Int { levels.max() ?? 0 }

  /// Returns true if a node is an entry of the whole file that is not in its part.
  func isHidden(_ node: Int) -> Bool { node < count && !part.isShown[node] }

  // MARK: Writing

  /// Returns the text of an entry after its stars.
  func text(of node: Int) -> Bytes {
    guard let image = image(node) else { return whole.entryWithoutStars(node) }
    let new = edited.entryWithoutStars(image)
    guard node < count else { return new }
    let old = whole.entryWithoutStars(node)
    return new.withoutLineEnd == old.withoutLineEnd ? old : new
  }

  private func image(_ node: Int) -> Int? { node < count ? images[node] : node - count }

  private func gap(of node: Int) -> Bytes {
    guard let image = image(node) else { return whole.gap(node) }
    let new = edited.gap(image)
    guard node < count else { return new }
    // The part has no blank lines above its first entry.
    let isFirst = part.settings.isEmpty && part.origins.dropFirst().first == node
    let old = isFirst ? [] : whole.gap(node)
    return new.elementsEqual(old) ? whole.gap(node) : new
  }

  /// Returns the file with these entries.
  func file(preamble: [UInt8]) -> [UInt8] {
    var bytes = Array(whole.text[..<whole.nodes[0].start])
    let lineEnd = part.whole.lineEnd
    func endLine() {
      if let last = bytes.last, last != .newline, bytes.count > whole.nodes[0].start { bytes += lineEnd }
    }
    bytes += preamble
    for (place, node) in nodes.enumerated() {
      endLine()
      bytes += gap(of: node) + Array(repeating: UInt8.star, count: levels[place]) + text(of: node)
    }
    let last = whole.nodes.count - 1
    let isSame = nodes.last == last && text(of: last) == whole.entryWithoutStars(last)
    if !isSame { endLine() }
    return bytes + whole.gapBehind(last)
  }

  // MARK: Arranging

  /// Returns the node for an entry of the edited part.
  private func node(of image: Int) -> Int { homes[image] ?? count + image }

  private func parent(of image: Int) -> Int { node(of: edited.nodes[image].parent) }

  /// Returns the children of an entry of the edited part that the whole file does not have among its hidden ones.
  private func editedChildren(of image: Int) -> [Int] {
    edited.children(of: image).filter { !twins.contains($0) }.map(node)
  }

  /// Returns an entry of the whole file, or the hidden entries that take its place if it was deleted.
  private func expanded(_ node: Int) -> [Int] {
    if isHidden(node) || images[node] != nil { return [node] }
    return whole.children(of: node).flatMap(expanded)
  }

  private mutating func arrange() {
    let tops = TopEntries(editedChildren(of: 0), isStable: stableTops())
    insertedLevels = tops.levels { whole.nodes[$0].level }
    for node in whole.nodes.indices {
      let items = whole.children(of: node).flatMap(expanded)
      if node == 0 || isHidden(node) {
        var list = items.flatMap { isHidden($0) ? [$0] : stays($0, below: node, tops) ? tops.around($0) : [] }
        if node == 0 { list += tops.atEnd }
        children[node] = list
      } else if let image = images[node] {
        children[node] = merged(items, editedChildren(of: image), below: node)
      }
    }
    for image in edited.nodes.indices.dropFirst() {
      if homes[image] == nil { children[count + image] = editedChildren(of: image) }
      guard twins.contains(image), let home = homes[image] else { continue }
      let new = editedChildren(of: image).filter { !(children[home] ?? []).contains($0) }
      children[home, default: []] += new
    }
  }

  private func stays(_ node: Int, below parent: Int, _ tops: TopEntries) -> Bool { tops.isStable.contains(node) }

  /// Returns the entries of an edited list with the hidden ones behind the entries that they followed.
  private func merged(_ items: [Int], _ new: [Int], below parent: Int) -> [Int] {
    var followers: [Int: [Int]] = [:]
    var anchor = -1
    for item in items {
      if isHidden(item) {
        followers[anchor, default: []].append(item)
      } else if let image = images[item], self.parent(of: image) == parent {
        anchor = item
      }
    }
    return (followers[-1] ?? []) + new.flatMap { [$0] + (followers[$0] ?? []) }
  }

  /// Returns the top-level entries of the edited part that stay in their places: the longest sequence in the order of the file.
  private func stableTops() -> Set<Int> {
    let candidates = editedChildren(of: 0).filter {
      $0 < count && !part.isShown[whole.nodes[$0].parent] && !isBelowItself($0)
    }
    return Set(LongestSequence.increasing(candidates))
  }

  /// Returns true if an entry above this one in the whole file is below it in the edited part.
  private func isBelowItself(_ node: Int) -> Bool {
    guard let image = images[node] else { return false }
    var above = whole.nodes[node].parent
    while above > 0 {
      if let other = images[above], (image..<edited.nodes[image].subtreeEnd).contains(other) { return true }
      above = whole.nodes[above].parent
    }
    return false
  }

  // MARK: Levels

  private mutating func number(_ node: Int, level: Int) {
    var limit = Int.max
    for child in children[node] ?? [] {
      limit = max(level + 1, min(wantedLevel(of: child, below: node, at: level), limit))
      nodes.append(child)
      levels.append(limit)
      // A node that is below itself would never end; the tree is not complete then.
      if nodes.count <= count + edited.nodes.count { number(child, level: limit) }
    }
  }

  private func wantedLevel(of node: Int, below parent: Int, at level: Int) -> Int {
    if let inserted = insertedLevels[node] { return inserted }
    let shift = parent < count ? level - whole.nodes[parent].level : 0
    if let image = image(node), edited.nodes[image].parent > 0 {
      return level + edited.nodes[image].level - edited.nodes[edited.nodes[image].parent].level
    }
    // The level of the entry below this parent whose place it has.
    var place = node
    while whole.nodes[place].parent != parent, whole.nodes[place].parent != 0 { place = whole.nodes[place].parent }
    return whole.nodes[place].level + shift
  }
}

/// The top-level entries of an edited part: those that stay in their places, and the others, which are inserted beside them.
struct TopEntries {
  let isStable: Set<Int>
  /// The entries that are inserted before and behind a stable one.
  private var before: [Int: [Int]] = [:]
  private var behind: [Int: [Int]] = [:]
  /// The entries at the end of the file.
  private(set) var atEnd: [Int] = []

  init(_ entries: [Int], isStable: Set<Int>) {
    self.isStable = isStable
    let last = entries.lastIndex(where: isStable.contains) ?? -1
    atEnd = Array(entries[(last + 1)...])
    var previous: Int?
    for (place, entry) in entries[..<(last + 1)].enumerated() {
      if isStable.contains(entry) {
        previous = entry
      } else if let previous {
        behind[previous, default: []].append(entry)
      } else if let next = entries[place...].first(where: isStable.contains) {
        before[next, default: []].append(entry)
      }
    }
  }

  /// Returns a stable entry with those that are inserted beside it.
  func around(_ entry: Int) -> [Int] { (before[entry] ?? []) + [entry] + (behind[entry] ?? []) }

  /// Returns the levels of the inserted entries.
  func levels(of stable: (Int) -> Int) -> [Int: Int] {
    var levels = Dictionary(atEnd.map { ($0, 1) }, uniquingKeysWith: { first, _ in first })
    for (entry, inserted) in before.merging(behind, uniquingKeysWith: +) {
      for other in inserted { levels[other] = stable(entry) }
    }
    return levels
  }
}

/// The entries of a part and of its edited version that are the same.
private struct PartMatchingResult {
  private(set) var homes: [Int?]
  private(set) var images: [Int?]
  private(set) var twins: Set<Int> = []

  init(_ part: OrgPart, _ edited: Outline) {
    let old = Outline(part.bytes)
    let matching = EntryMatching(old, edited, roots: [(0, 0)], keywords: part.whole.keywords)
    homes = matching.ofSide.map { $0.map { part.origins[$0] } }
    images = Array(repeating: nil, count: part.whole.outline.nodes.count)
    for (image, home) in homes.enumerated() {
      if let home { images[home] = image }
    }
    findTwins(part, edited)
  }

  /// Finds new entries that the whole file has already, hidden: an earlier pass brought them home.
  private mutating func findTwins(_ part: OrgPart, _ edited: Outline) {
    let outline = part.whole.outline
    var hidden: [Bytes: [Int]] = [:]
    for node in outline.nodes.indices.dropFirst().reversed() where !part.isShown[node] {
      hidden[outline.entryWithoutStars(node).withoutLineEnd, default: []].append(node)
    }
    guard !hidden.isEmpty else { return }
    for image in edited.nodes.indices.dropFirst() where homes[image] == nil {
      let isNew = homes[image..<edited.nodes[image].subtreeEnd].enumerated().allSatisfy { offset, home in
        home == nil || twins.contains(image + offset)
      }
      let text = edited.entryWithoutStars(image).withoutLineEnd
      guard isNew, let node = hidden[text]?.popLast() else { continue }
      homes[image] = node
      twins.insert(image)
    }
  }
}

/// Finds longest increasing sequences.
enum LongestSequence {
  /// Returns the longest sequence of increasing numbers among distinct ones, in their order.
  static func increasing(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []
    var previous: [Int] = []
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? tails[low - 1] : -1)
      if low < tails.count { tails[low] = place } else { tails.append(place) }
    }
    var sequence: [Int] = []
    var place = tails.last ?? -1
    while place >= 0 {
      sequence.append(numbers[place])
      place = previous[place]
    }
    return sequence.reversed()
  }
}
