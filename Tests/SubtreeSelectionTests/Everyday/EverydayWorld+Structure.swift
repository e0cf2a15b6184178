import SyncKit

/// Edits of the structure: entries that are added, deleted and moved.
///
/// What an edit on the remote does at home follows the documented rules: a new or moved entry is behind the one before it, at the
/// end of the file behind the last one; a hidden entry stays with its parent or, if that is deleted, takes its place.
extension EverydayWorld {
  // MARK: Adding

  mutating func add(_ tags: [String], sameTitle: Bool = false, _ side: Side) -> Bool {
    guard let (parent, index) = aPlace(side) else { return false }
    guard !sameTitle || claimTitles(in: truth.file(of: parent)), claim([list(below: parent)]) else { return false }
    let (node, entry) = newEntry(tags, sameTitle: sameTitle)
    truth.entries[node] = entry
    if side == .local {
      home.entries[node] = entry
      change(.local) { $0.insert(node, below: parent, at: index) }
    } else {
      away.entries[node] = entry
      place(node, below: parent, behind: index > 0 ? away.children(of: parent)[index - 1] : nil)
      away.insert(node, below: parent, at: index)
    }
    story.append("\(side) adds \(node) \(tags) below \(parent) at \(index)")
    return true
  }

  /// Returns a random place below an entry or a file that a person sees.
  private mutating func aPlace(
    _ side: Side, where fits: (Self, Int) -> Bool = { _, _ in true }
  ) -> (parent: Int, index: Int)? {
    let tree = self[keyPath: tree(side)]
    let files = tree.files.keys.sorted().filter { isOpen($0) && fits(self, $0) }
    let parent = chance(3) ? files.randomElement(using: &random) : anEntry(side, where: fits)
    guard let parent, truth.level(parent) < 9 else { return nil }
    return (parent, Int.random(in: 0...tree.children(of: parent).count, using: &random))
  }

  /// Puts an entry of the remote into its place at home.
  private mutating func place(_ node: Int, below parent: Int, behind other: Int?) {
    if parent > 0 {
      let siblings = truth.children(of: parent)
      var index = other.flatMap { siblings.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      while index < siblings.count, !shown.contains(siblings[index]) { index += 1 }
      return truth.insert(node, below: parent, at: index)
    }
    let tops = away.children(of: parent).filter { $0 != node }
    if let other, other != tops.last {
      put(node, at: 1, from: other)
    } else if other == nil, let first = tops.first {
      put(node, at: 0, from: first)
    } else {
      truth.insert(node, below: parent, at: truth.children(of: parent).count)
    }
  }

  private mutating func put(_ node: Int, at offset: Int, from other: Int) {
    guard let parent = truth.parents[other], let index = truth.children(of: parent).firstIndex(of: other) else {
      return
    }
    truth.insert(node, below: parent, at: index + offset)
  }

  // MARK: Deleting

  mutating func deleteAtHome() -> Bool {
    guard let node = anEntry(.local, where: { $0.truth.subtree($1).count < 8 }), let parent = truth.parents[node],
      claim([list(below: parent)], moving: node)
    else { return false }
    change(.local) { $0.remove(node) }
    story.append("home deletes \(node)")
    return true
  }

  mutating func deleteAway() -> Bool {
    guard let node = anEntry(.remote, where: { $0.away.subtree($1).count < 8 }), let parent = truth.parents[node],
      claim([list(below: parent)], moving: node)
    else { return false }
    promoteHidden(of: node)
    truth.remove(node)
    away.remove(node)
    story.append("away deletes \(node)")
    return true
  }

  /// Puts the hidden entries below an entry into its place.
  private mutating func promoteHidden(of node: Int) { truth.replace(node, by: hidden(at: node)) }

  /// The highest entries of a subtree that the remote does not have.
  private func hidden(at node: Int) -> [Int] {
    shown.contains(node) ? truth.children(of: node).flatMap(hidden) : [node]
  }

  // MARK: Moving

  mutating func moveAtHome(toOtherFile: Bool) -> Bool {
    guard let node = anEntry(.local, where: { $0.truth.subtree($1).count < 8 }), let parent = truth.parents[node] else {
      return false
    }
    let file = truth.file(of: node)
    let below = Set(truth.subtree(node))
    guard
      let (target, _) = aPlace(.local, where: { !below.contains($1) && ($0.home.file(of: $1) != file) == toOtherFile }),
      claim([list(below: parent), list(below: target), file, truth.file(of: target)], moving: node)
    else { return false }
    change(.local) { $0.detach(node) }
    let index = Int.random(in: 0...home.children(of: target).count, using: &random)
    // Both may differ in what the remote has added elsewhere, but not in this list.
    change(.local) { $0.insert(node, below: target, at: min(index, $0.children(of: target).count)) }
    story.append("home moves \(node) below \(target) at \(index)")
    return true
  }

  mutating func moveAway(toOtherFile: Bool) -> Bool {
    guard let node = anEntry(.remote, where: { $0.away.subtree($1).count < 8 }), let parent = truth.parents[node],
      let seen = away.parents[node]
    else { return false }
    let file = truth.file(of: node)
    let below = Set(truth.subtree(node))
    let place = aPlace(.remote) {
      !below.contains($1) && $1 != seen && ($0.away.file(of: $1) != file) == toOtherFile
    }
    guard let (target, index) = place,
      claim([list(below: parent), list(below: target)], moving: node)
    else { return false }
    let other = index > 0 ? away.children(of: target)[index - 1] : nil
    if toOtherFile { separate(node) } else { truth.detach(node) }
    self.place(node, below: target, behind: other)
    away.detach(node)
    away.insert(node, below: target, at: index)
    story.append("away moves \(node) below \(target) at \(index)")
    return true
  }

  /// Takes a subtree from its file as the remote has it; what is hidden in it stays.
  private mutating func separate(_ node: Int) {
    promoteHidden(of: node)
    // The remote does not have the blank line above its first entry.
    truth.entries[node]?.hasGap = away.entries[node]?.hasGap ?? false
    truth.detach(node)
  }

  /// Moves an entry among its siblings. Hidden siblings stay behind the entry that they followed.
  mutating func reorderAway() -> Bool {
    let node = anEntry(.remote) { world, node in world.away.parents[node].map(world.away.children)?.count ?? 0 > 2 }
    guard let node, let parent = truth.parents[node], let seen = away.parents[node] else { return false }
    var order = away.children(of: seen)
    guard let old = order.firstIndex(of: node) else { return false }
    let index = Int.random(in: 0..<order.count, using: &random)
    // Which of two neighbours was moved would not be known.
    guard abs(index - old) > 1, claim([list(below: parent), list(below: seen)], moving: node) else { return false }
    order.remove(at: old)
    order.insert(node, at: index)
    if seen > 0 {
      arrange(order, below: seen)
    } else {
      truth.detach(node)
      place(node, below: seen, behind: index > 0 ? order[index - 1] : nil)
    }
    away.detach(node)
    away.insert(node, below: seen, at: index)
    story.append("away moves \(node) from \(old) to \(index) below \(seen)")
    return true
  }

  private mutating func arrange(_ order: [Int], below parent: Int) {
    var followers: [Int: [Int]] = [:]
    var last = 0
    for child in truth.children(of: parent) {
      if shown.contains(child) { last = child } else { followers[last, default: []].append(child) }
    }
    let new = (followers[0] ?? []) + order.flatMap { [$0] + (followers[$0] ?? []) }
    for child in new {
      truth.detach(child)
      truth.insert(child, below: parent, at: truth.children(of: parent).count)
    }
  }

  // MARK: Files

  mutating func addAboveFirst(_ side: Side) -> Bool {
    guard let file = self[keyPath: tree(side)].files.keys.sorted().filter(isOpen).randomElement(using: &random),
      claimPreamble(of: file)
    else { return false }
    let line = chance(2) ? "#+DESCRIPTION: \(marker())" : line()
    change(side) { $0.files[file]?.preamble.append(line) }
    story.append("\(side) adds text above the first headline of \(file)")
    return true
  }

  mutating func addNewFile(_ side: Side) -> Bool {
    guard truth.files.count < 9 else { return false }
    let file = newFile()
    addFile(file, to: [\.truth, tree(side)])
    // A file that comes home gets a line end.
    if side == .remote { truth.files[lastFile]?.ending = file.lineEnd }
    story.append("\(side) adds a file")
    return true
  }

  /// The remote adds a file with the name of one at home of which it has nothing.
  mutating func addAwayIntoHiddenFile() -> Bool {
    guard
      let file = anUntouchedFile(.local, where: { $0.away.files[$1] == nil && $0.truth.files[$1]?.lineEnd == "\n" }),
      let name = truth.files[file]?.name
    else { return false }
    close(file)
    let (node, entry) = newEntry(["mobile"])
    truth.entries[node] = entry
    away.entries[node] = entry
    away.entries[node]?.hasGap = false
    truth.entries[node]?.hasGap = false
    away.files[file] = Outlines.File(name: name)
    truth.insert(node, below: file, at: truth.children(of: file).count)
    away.insert(node, below: file, at: 0)
    story.append("away adds a file with the name of \(file)")
    return true
  }

  mutating func renameAtHome() -> Bool {
    guard let file = anUntouchedFile(.local) else { return false }
    close(file)
    let name = fileName()
    change(.local) { $0.files[file]?.name = name }
    story.append("home renames \(file)")
    return true
  }

  mutating func renameAway() -> Bool {
    guard let file = anUntouchedFile(.remote), var renamed = away.files[file] else { return false }
    close(file)
    renamed.name = fileName()
    let new = newFileNumber()
    truth.files[new] = renamed
    away.files[new] = renamed
    for top in away.children(of: file) {
      separate(top)
      truth.insert(top, below: new, at: truth.children(of: new).count)
      away.detach(top)
      away.insert(top, below: new, at: away.children(of: new).count)
    }
    away.files[file] = nil
    removeIfEmpty(file)
    story.append("away renames \(file)")
    return true
  }

  mutating func deleteFileAtHome() -> Bool {
    guard truth.files.count > 4, let file = anUntouchedFile(.local) else { return false }
    close(file)
    change(.local) { $0.remove(file) }
    story.append("home deletes the file \(file)")
    return true
  }

  mutating func deleteFileAway() -> Bool {
    guard away.files.count > 2, let file = anUntouchedFile(.remote) else { return false }
    close(file)
    for top in away.children(of: file) {
      promoteHidden(of: top)
      truth.remove(top)
    }
    away.remove(file)
    removeIfEmpty(file)
    story.append("away deletes the file \(file)")
    return true
  }

  /// A file at home of which nothing is left is removed.
  private mutating func removeIfEmpty(_ file: Int) {
    let known = truth.files[file]
    if truth.children(of: file).isEmpty, known?.preamble == known?.settings { truth.remove(file) }
  }
}
