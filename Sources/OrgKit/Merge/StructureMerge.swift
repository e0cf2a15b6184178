/// Decides which entries remain, their parents, and their order; independent of their content.
struct StructureMerge {
  let table: EntityTable
  /// True if an entity is in the result.
  private(set) var isAlive: [Bool]
  /// The parent of each entity.
  private(set) var parents: [Int]
  /// The children of every entity in order.
  private(set) var children: [[Int]]
  /// The number of stars of every entity.
  private(set) var levels: [Int]
  /// The conflicts about whole entries.
  private(set) var conflicts: [Int: [FieldConflict]] = [:]
  /// True for entities that one side deleted and that are kept.
  private(set) var isKept: [Bool]
  /// The names of files, to distinguish paths in different files.
  private let fileNames: [Int: OrgMerge.Path]
  /// The entries about whose parents both sides resolved a conflict.
  private let reparented: Set<Int>
  /// The side that decides between two parents of an entry; nil if a rule does.
  private let side: Version?

  /// Merges the structure; `fileNames` gives the paths of files by entity if there is more than one, and `reparented` the entries
  /// about whose parents both sides resolved a conflict.
  init(
    _ table: EntityTable, fileNames: [Int: OrgMerge.Path] = [:], reparented: Set<Int> = [],
    decidedFor side: Version? = nil
  ) {
    self.table = table
    self.reparented = reparented
    self.fileNames = fileNames
    self.side = side
    let count = table.entities.count
    isAlive = Array(repeating: true, count: count)
    isKept = Array(repeating: false, count: count)
    parents = Array(0..<count)
    levels = Array(repeating: 0, count: count)
    children = Array(repeating: [], count: count)
    decideDeletions()
    decideParents()
    undoCycles()
    decideFiles()
    keepHolders()
    flagKept()
    orderChildren()
    setLevels()
  }

  /// Returns true if the entity is a file.
  func isFile(_ entity: Int) -> Bool { parents[entity] == entity }
}

// MARK: - Deletion

extension StructureMerge {
  private mutating func decideDeletions() {
    for (entity, nodes) in table.entities.enumerated() {
      guard let base = nodes.base else { continue }
      switch (nodes.ours, nodes.theirs) {
      case (.some, .none) where isRoot(base), (.none, .some) where isRoot(base): break
      case (.some, .some): break
      case (.none, .none): isAlive[entity] = false
      case (.some, .none): keepIfChanged(entity, in: .ours)
      case (.none, .some): keepIfChanged(entity, in: .theirs)
      }
    }
  }

  private func isRoot(_ base: Int) -> Bool { table.outlines.base.nodes[base].level == 0 }

  /// Keeps a deleted entry if the other side changed it: a deletion is quickly repeated, lost text is not.
  private mutating func keepIfChanged(_ entity: Int, in side: Version) {
    let isChanged = isRescued(entity, in: side) || isRewritten(entity, in: side)
    isAlive[entity] = isChanged
    isKept[entity] = isChanged
  }

  /// Returns true if one side moved an entry to another file, or away from a parent that the other side deleted with it. An
  /// entry that was deleted by itself and only moved within its file is gone.
  private func isRescued(_ entity: Int, in side: Version) -> Bool {
    guard let parent = table.parent(of: entity, in: .base), table.parent(of: entity, in: side) != parent else {
      return false
    }
    let other: Version = side == .ours ? .theirs : .ours
    return table.entities[parent][other] == nil || root(of: entity, in: side) != root(of: entity, in: .base)
  }

  private func isRewritten(_ entity: Int, in side: Version) -> Bool {
    guard let base = table.entities[entity].base, let node = table.entities[entity][side] else { return true }
    let (before, after) = (table.outlines.base, table.outlines[side])
    if before.entry(base) == after.entry(node) { return false }
    return meaning(base, before) != meaning(node, after)
      || WordlessMarks(before.section(base).lines) != WordlessMarks(after.section(node).lines)
  }

  private func meaning(_ node: Int, _ outline: Outline) -> [[UInt8]] {
    if outline.nodes[node].level == 0 { return [Meaning.of(Section(outline.section(node), isPreamble: true).blocks)] }
    return Meaning.of(
      Headline(outline.headline(node), keywords: table.keywords), Section(outline.section(node), isPreamble: false))
  }

  /// Keeps a whole file that one side deleted if the other changed anything in it.
  private mutating func decideFiles() {
    for file in table.entities.indices where isFile(file) && isDeletedOnOneSide(file) {
      let side: Version = table.entities[file].ours != nil ? .ours : .theirs
      let members = table.entities.indices.filter { !isFile($0) && root(of: $0, in: side) == file }
      let isChanged = isRewritten(file, in: side) || members.contains { isAlive[$0] && mergedRoot(of: $0) == file }
      isAlive[file] = isChanged
      isKept[file] = isChanged
      for entity in members where isChanged && isDeletedOnOneSide(entity) {
        isAlive[entity] = true
        isKept[entity] = true
      }
    }
  }

  private func isDeletedOnOneSide(_ entity: Int) -> Bool {
    let nodes = table.entities[entity]
    return nodes.base != nil && (nodes.ours == nil) != (nodes.theirs == nil)
  }

  private func mergedRoot(of entity: Int) -> Int {
    var entity = entity
    while !isFile(entity) { entity = parents[entity] }
    return entity
  }

  /// Keeps the parents of all remaining entries.
  private mutating func keepHolders() {
    for entity in parents.indices where isAlive[entity] {
      var holder = parents[entity]
      while !isAlive[holder] {
        isAlive[holder] = true
        isKept[holder] = true
        holder = parents[holder]
      }
    }
  }

  /// Flags the topmost entry of those that were kept despite a deletion.
  private mutating func flagKept() {
    for entity in parents.indices where isAlive[entity] && isKept[entity] {
      if isFile(entity) {
        flag(entity, FieldConflict(.file, "file".utf8, standing: Array("keep".utf8), other: Array("delete".utf8)))
      } else if !isKept[parents[entity]] {
        flag(entity, FieldConflict(.entry, "entry".utf8, standing: Array("keep".utf8), other: Array("delete".utf8)))
      }
    }
  }

  private mutating func flag(_ entity: Int, _ conflict: FieldConflict) {
    conflicts[entity, default: []].append(conflict)
  }
}

// MARK: - Parents

extension StructureMerge {
  private mutating func decideParents() {
    for entity in table.entities.indices {
      let places = Three(
        base: table.parent(of: entity, in: .base), ours: table.parent(of: entity, in: .ours),
        theirs: table.parent(of: entity, in: .theirs))
      guard let ours = places.ours, let theirs = places.theirs else {
        parents[entity] = places.ours ?? places.theirs ?? places.base ?? entity
        continue
      }
      let isOpposed = ours != theirs && reparented.contains(entity)
      parents[entity] =
        (isOpposed ? nil : places.settled.flatMap(\.self)) ?? decideBetween(ours, theirs, for: entity)
    }
  }

  /// Decides between two parents: the one with the smaller path is used, and both are listed.
  private mutating func decideBetween(_ ours: Int, _ theirs: Int, for entity: Int) -> Int {
    let paths = [place(ours, in: .ours), place(theirs, in: .theirs)]
    let isOursFirst = paths[0] == paths[1] ? precedesTwin(ours, theirs) : precedes(paths[0] ?? [], paths[1] ?? [])
    let sides = isOursFirst ? paths : paths.reversed()
    if isAlive[entity] { flag(entity, FieldConflict(.parent, "parent".utf8, standing: sides[0], other: sides[1])) }
    return side.map { $0 == .ours } ?? isOursFirst ? ours : theirs
  }

  /// Returns which of two parents with the same path comes first: by their order in the base, otherwise by their texts.
  private func precedesTwin(_ one: Int, _ other: Int) -> Bool {
    switch (table.entities[one].base, table.entities[other].base) {
    case (let first?, let second?): first < second
    case (.some, nil): true
    case (nil, .some): false
    case (nil, nil): precedes(text(one), text(other))
    }
  }

  /// Returns a parent as named in conflicts: titles joined by slashes; nil for the top level.
  private func place(_ parent: Int, in version: Version) -> [UInt8]? {
    let titles = table.path(of: parent, in: version).map { title in
      title.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
    }
    let path = Array(titles.joined(separator: "/".utf8))
    guard fileNames.count > 1, let file = root(of: parent, in: version).flatMap({ fileNames[$0] }) else {
      return path.isEmpty ? nil : path
    }
    return path.isEmpty ? file.bytes : file.bytes + Array("::".utf8) + path
  }

  private func root(of entity: Int, in version: Version) -> Int? {
    guard table.entities[entity][version] != nil else { return nil }
    var entity = entity
    while let parent = table.parent(of: entity, in: version), parent != entity { entity = parent }
    return entity
  }

  /// While moves form a cycle, undoes the one with the greatest key.
  private mutating func undoCycles() {
    var isSafe = Array(repeating: false, count: parents.count)
    for start in parents.indices {
      var trail: [Int] = []
      var onTrail: Set<Int> = []
      var entity = start
      while !isSafe[entity] {
        if parents[entity] == entity { break }
        if !onTrail.insert(entity).inserted {
          let ring = Array(trail[(trail.firstIndex(of: entity) ?? 0)...])
          undoMove(in: ring)
          (trail, onTrail, entity) = ([], [], start)
          continue
        }
        trail.append(entity)
        entity = parents[entity]
      }
      for entity in trail { isSafe[entity] = true }
    }
  }

  private mutating func undoMove(in ring: [Int]) {
    let moved = ring.filter { entity in
      table.parent(of: entity, in: .base).map { $0 != parents[entity] } ?? false
    }
    guard let last = moved.max(by: { precedes(key($0), key($1)) }), let old = table.parent(of: last, in: .base) else {
      // New entries cannot form a cycle; if they do, the first one moves to the top.
      parents[ring[0]] = ring[0]
      return
    }
    let version: Version = table.parent(of: last, in: .ours) == parents[last] ? .ours : .theirs
    let conflict = FieldConflict(
      .parent, "parent".utf8, standing: place(old, in: .base),
      other: place(parents[last], in: version))
    conflicts[last, default: []].removeAll { $0.field == .parent }
    flag(last, conflict)
    parents[last] = old
  }

  /// Returns the ID of an entity, otherwise its path in the base.
  private func key(_ entity: Int) -> [UInt8] {
    guard let node = table.entities[entity].base else { return [] }
    let id = Section(table.outlines.base.section(node), isPreamble: false).drawer?["id"]
    return id.map { Array($0) } ?? Array(table.path(of: entity, in: .base).joined(separator: "/".utf8))
  }
}

// MARK: - Order and level

extension StructureMerge {
  private mutating func orderChildren() {
    var survivors = Array(repeating: [Int](), count: parents.count)
    for entity in parents.indices where isAlive[entity] && !isFile(entity) { survivors[parents[entity]].append(entity) }
    for (parent, members) in survivors.enumerated() where !members.isEmpty {
      let orders = Three(
        base: order(under: parent, in: .base), ours: order(under: parent, in: .ours),
        theirs: order(under: parent, in: .theirs))
      // Most parents have the same children in all versions.
      let isUntouched = orders.ours == orders.theirs && orders.ours == orders.base && orders.ours.count == members.count
      children[parent] =
        isUntouched
        ? orders.ours : SequenceMerge.merge(orders, survivors: Set(members), stamp: stamp, text: text)
    }
  }

  private func order(under parent: Int, in version: Version) -> [Int] {
    guard let node = table.entities[parent][version] else { return [] }
    return table.outlines[version].children(of: node).map { table.numbers[version][$0] }
  }

  /// Returns the text of an entry without stars; of two, the smaller one.
  private func text(_ entity: Int) -> [UInt8] {
    let texts = Version.allCases.dropFirst().compactMap { version in
      table.entities[entity][version].map { Array(table.outlines[version].entryWithoutStars($0)) }
    }
    return texts.min { precedes($0, $1) } ?? []
  }

  /// Returns the creation time of an entry: the property CREATED, else a time in the title, else in the first line of its text.
  private func stamp(_ entity: Int) -> OrgTimestamp? {
    let stamps = Version.allCases.dropFirst().compactMap { version -> OrgTimestamp? in
      guard let node = table.entities[entity][version] else { return nil }
      let section = Section(table.outlines[version].section(node), isPreamble: false)
      let paragraph = section.blocks.first { $0.kind == .paragraph }?.lines.first
      let candidates = [section.drawer?["created"], table.outlines[version].headline(node), paragraph]
      return candidates.lazy.compactMap { $0?.firstTimestamp(isActive: false) }.first.flatMap { OrgTimestamp($0) }
    }
    return stamps.min { $0.moment.lexicographicallyPrecedes($1.moment) }
  }

  /// Computes the stars from the root down, with the versions' level differences between parent and child.
  private mutating func setLevels() {
    var pending = parents.indices.filter(isFile)
    while let parent = pending.popLast() {
      var limit = Int.max
      for child in children[parent] {
        // A sibling with fewer stars must not become the parent of the following ones.
        let step = min(step(child), limit)
        limit = step
        levels[child] = min(levels[parent] + step, Outline.inlineTaskLevel - 1)
      }
      pending += children[parent]
    }
  }

  private func step(_ entity: Int) -> Int {
    let steps = Three(base: step(entity, in: .base), ours: step(entity, in: .ours), theirs: step(entity, in: .theirs))
    guard let ours = steps.ours, let theirs = steps.theirs else { return steps.ours ?? steps.theirs ?? steps.base ?? 1 }
    return steps.settled.flatMap(\.self) ?? min(ours, theirs)
  }

  /// Returns the level difference between an entity and its merged parent, in a version with the same parent.
  private func step(_ entity: Int, in version: Version) -> Int? {
    guard let node = table.entities[entity][version], table.parent(of: entity, in: version) == parents[entity] else {
      return nil
    }
    let nodes = table.outlines[version].nodes
    return nodes[node].level - nodes[nodes[node].parent].level
  }
}
