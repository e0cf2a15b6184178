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
      var (entry, decisions) = disputed(entity, asWhole: false)
      contents[entity] = .merged(entry)
      // A line that one side moved between the fields and the text is in both.
      if !isProved(entity) { (entry, decisions) = disputed(entity, asWhole: true) }
      contents[entity] = .merged(entry)
      record(decisions, in: entity)
    }
  }

  /// Returns an entry whose text is a conflict: if both sides changed it, or as a whole.
  private func disputed(_ entity: Int, asWhole: Bool) -> (MergedEntry, [OrgMerge.Decision]) {
    EntryMerge.disputed(
      headlines(of: entity), sections(of: entity), asWhole: asWhole, resolved: resolved[entity],
      keywords: table.keywords,
      options: options)
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
    let texts = texts(of: entity)
    guard let ours = texts.ours, let theirs = texts.theirs else { return true }
    return Conservation(
      base: texts.base ?? [], ours: ours, theirs: theirs, merged: merged.bytes[...], decided: decided.bytes[...],
      derived: entry.derived
    ).holds
  }
}

extension ForestMerge {
  /// Returns the texts of an entry, without the conflicts that both sides resolved.
  private func texts(of entity: Int) -> Three<Bytes?> {
    let nodes = table.entities[entity].zip(table.outlines)
    guard let resolved = resolved[entity] else { return nodes.map { node, outline in node.map { outline.entry($0) } } }
    return nodes.zip(resolved.sections).map { version, section in
      version.0.map { (Array(version.1.headline($0)) + [.newline] + section)[...] }
    }
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
