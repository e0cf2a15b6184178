// What must hold of a result before it is given out; if it does not, both versions stay.

extension ForestMerge {
  /// Whether every entry of a file is there, or was deleted by a side that had seen its latest text, and every merged
  /// entry has all that either side wrote.
  func isConserving(file: Int) -> Bool {
    let members = members(of: file)
    let derived = decisions.filter { $0.kind == .derived }.compactMap(\.dropped)
    return Set(members).count == members.count
      && members.allSatisfy { structure.isAlive[$0] && hasAllText($0, derived: derived) }
  }

  /// Whether the text of a file reads as the tree that it was written from.
  func isTree(_ text: [UInt8], of file: Int) -> Bool {
    guard case .org = options.style else { return true }
    let levels = members(of: file).map { structure.levels[$0] }
    return Outline(text).nodes.map(\.level) == levels + (isInConflict(file) ? [1] : [])
  }

  /// Whether all entries that remain are in one of the files.
  var isComplete: Bool {
    let files = table.entities.indices.filter { structure.isFile($0) && structure.isAlive[$0] }
    return files.reduce(0) { $0 + members(of: $1).count } == structure.isAlive.count { $0 }
  }

  private func hasAllText(_ entity: Int, derived: [String]) -> Bool {
    guard case .merged(let entry) = contents[entity] else { return true }
    var written = MarkedText(lineEnd: [.newline])
    write(entry, level: structure.levels[entity], to: &written)
    written.append(lines: entry.headline == nil ? conflictDrawer(entry.conflicts, indentation: []) : [])
    let nodes = table.entities[entity].zip(table.outlines)
    let texts = nodes.map { node, outline in node.map { outline.entry($0) } }
    guard let ours = texts.ours ?? texts.theirs, let theirs = texts.theirs ?? texts.ours else { return true }
    return Conservation(
      base: texts.base ?? [], ours: ours, theirs: theirs, merged: written.bytes[...], derived: derived
    ).holds
  }
}
