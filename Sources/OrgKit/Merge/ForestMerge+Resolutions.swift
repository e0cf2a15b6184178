// Flags again what both sides resolved differently: each kept an alternative that the other one deleted.

extension EntityTable {
  /// Returns the conflicts in the base that both sides resolved, by entry. The drawer of a preamble is in an entry of the file.
  func resolvedConflicts(drawer: String) -> [Int: ResolvedConflicts] {
    var resolved: [Int: ResolvedConflicts] = [:]
    for (entity, nodes) in entities.enumerated() {
      guard let base = nodes.base, let ours = nodes.ours, let theirs = nodes.theirs else { continue }
      let nodes = Three(base: base, ours: ours, theirs: theirs)
      let isFile = outlines.base.nodes[base].level == 0
      // A side that resolves a conflict of an entry changes its drawer.
      if !isFile, isSame(entity, .ours, .base) || isSame(entity, .theirs, .base) { continue }
      let drawers = isFile ? fileConflict(below: base) : nil
      if isFile, drawers == nil { continue }
      let sections = nodes.zip(outlines).map { node, outline in outline.section(node) }
      resolved[entity] = ResolvedConflicts(sections, drawers: drawers, drawer: drawer)
    }
    return resolved
  }

  /// Returns the sections of the entry with the conflicts of a file that both sides changed; empty on a side that deleted it.
  private func fileConflict(below root: Int) -> Three<Bytes>? {
    let outline = outlines.base
    let title = Array("File conflict".utf8)
    let entry = outline.children(of: root).last { node in
      let entity = numbers.base[node]
      return !isSame(entity, .ours, .base) && !isSame(entity, .theirs, .base)
        && Headline(outline.headline(node), keywords: keywords).title.elementsEqual(title)
    }
    guard let entry else { return nil }
    return entities[numbers.base[entry]].zip(outlines).map { node, outline in node.map { outline.section($0) } ?? [] }
  }
}

extension ForestMerge {
  /// Marks the lines that one side kept and the other deleted when they resolved a conflict, unless they are in a conflict again.
  mutating func flagOpposed() {
    for (entity, resolved) in resolved.sorted(by: { $0.key < $1.key }) where structure.isAlive[entity] {
      for opposed in resolved.opposed { flag(opposed, in: entity) }
    }
  }

  private mutating func flag(_ opposed: ResolvedConflicts.Opposed, in entity: Int) {
    var entry = takenApart(entity)
    let found = opposed.kept.filter { value, side in entry.dispute(value, of: opposed.conflict, keptBy: side) }
    guard let first = found.first?.value else { return }
    let name = opposed.conflict.name
    let conflicts =
      found.count == 2
      ? [FieldConflict(bothStand: first, found[1].value, name)]
      : [FieldConflict(.body, name, standing: first, other: nil)]
    contents[entity] = .merged(entry)
    flag(entity, conflicts)
  }
}

extension MergedEntry {
  /// Makes the lines of a value a conflict; returns false if there are none, or if they are in a conflict already.
  fileprivate mutating func dispute(_ value: [UInt8], of conflict: ListedConflict, keptBy side: Version) -> Bool {
    let lines = body.map { piece in if case .line(let line) = piece { line } else { [] as Bytes } }
    if let places = conflict.places(of: value, in: lines), !body[places].contains(where: \.isDisputed) {
      replace(places, with: Array(lines[places]), by: side, not: [])
    } else if let (place, rest) = conflict.withoutSetting(value, in: lines) {
      replace(place..<place + 1, with: [lines[place]], by: side, not: [rest])
    } else {
      return false
    }
    return true
  }

  /// Replaces pieces by a conflict between the lines that a side kept and what the other side left of them.
  private mutating func replace(_ places: Range<Int>, with kept: [Bytes], by side: Version, not rest: [Bytes]) {
    let variants = Three(base: rest, ours: side == .ours ? kept : rest, theirs: side == .theirs ? kept : rest)
    body.replaceSubrange(places, with: [.disputed(shown: kept, variants)])
  }
}
