// Verifies a result before it is returned. An entry that fails becomes a conflict; if that fails too, both files are kept.

extension ForestMerge {
  /// Returns true if every entry of a file is there, or was deleted by a side that had seen its latest text, and every merged
  /// entry passes the proof.
  func isConserving(file: Int) -> Bool {
    let members = members(of: file)
    return Set(members).count == members.count && members.allSatisfy { structure.isAlive[$0] && isProved($0) }
  }

  /// Turns the text of every entry that fails the proof into a conflict.
  mutating func flagUnproved() {
    for entity in contents.indices where structure.isAlive[entity] {
      if isProved(entity) {
        if case .merged(let entry) = contents[entity] { proved[entity] = entry }
        continue
      }
      let (entry, decisions) = EntryMerge.disputed(
        headlines(of: entity), sections(of: entity), resolved: resolved[entity], keywords: table.keywords,
        options: options)
      contents[entity] = .merged(entry)
      record(decisions, in: entity)
    }
  }

  /// Returns true if the text of a file parses as the tree that it was written from.
  func isTree(_ text: [UInt8], of file: Int) -> Bool {
    if case .markers = options.style { return true }
    let levels = writtenMembers(of: file).map { structure.levels[$0] }
    return Outline(text).nodes.map(\.level) == levels + (fileConflict(file).isEmpty ? [] : [1])
  }

  /// True if every remaining entry is in one of the files.
  var isComplete: Bool {
    let files = table.entities.indices.filter { structure.isFile($0) && structure.isAlive[$0] }
    return files.reduce(0) { $0 + members(of: $1).count } == structure.isAlive.count { $0 }
  }

  private func isProved(_ entity: Int) -> Bool {
    guard case .merged(let entry) = contents[entity], proved[entity] != entry else { return true }
    var merged = MarkedText(lineEnd: [.newline])
    write(entry, level: structure.levels[entity], to: &merged)
    merged.append(lines: entry.headline == nil ? conflictDrawer(entry.conflicts, indentation: []) : [])
    var decided = merged
    if entry.isInConflict {
      decided = MarkedText(lineEnd: [.newline])
      write(entry.withoutConflicts, level: structure.levels[entity], to: &decided)
    }
    let nodes = table.entities[entity].zip(table.outlines)
    var texts = nodes.map { node, outline in node.map { outline.entry($0) } }
    if let node = nodes.base.0, let resolved = resolved[entity] {
      texts.base = (Array(nodes.base.1.headline(node)) + [.newline] + resolved.section)[...]
    }
    guard let ours = texts.ours, let theirs = texts.theirs else { return true }
    return Conservation(
      base: texts.base ?? [], ours: ours, theirs: theirs, merged: merged.bytes[...], decided: decided.bytes[...],
      derived: entry.derived
    ).holds
  }
}

extension MergedEntry {
  /// The entry without its conflicts.
  fileprivate var withoutConflicts: MergedEntry {
    MergedEntry(
      headline: headline?.variants == nil ? headline : nil, head: head.filter { !$0.isDisputed },
      body: body.filter { !$0.isDisputed })
  }
}
