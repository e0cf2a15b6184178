// Writes results in which one side's version replaces all conflicts.

extension ForestMerge {
  /// Returns the entities of a file in its text, in order: all of them, unless the deciding side deleted some.
  func writtenMembers(of file: Int) -> [Int] {
    guard let side = options.style.side else { return members(of: file) }
    return members(of: file).filter { !isDeleted($0, by: side) }
  }

  /// Returns true if the side deleted an entity that was kept for the other side's edits, or moved there, and nothing was added
  /// inside.
  private func isDeleted(_ entity: Int, by side: Version) -> Bool {
    (structure.isKept[entity] || returned[entity] == side) && !structure.isFile(entity)
      && table.entities[entity][side] == nil && structure.children[entity].allSatisfy { isDeleted($0, by: side) }
  }
}

extension OrgMerge.Options.Style {
  /// The side that decides; nil if the user does.
  var side: Version? {
    switch self {
    case .decided(.ours): .ours
    case .decided(.theirs): .theirs
    case .org, .markers: nil
    }
  }
}

extension MergedEntry {
  /// Returns the entry with the side's variant of every conflict.
  func decided(for side: Version?) -> MergedEntry {
    guard let side else { return self }
    var entry = MergedEntry(headline: headline, head: head.decided(for: side), body: body.decided(for: side))
    entry.headline?.line = headline?.variants?[side].first ?? headline?.line
    return entry
  }
}

extension [Piece] {
  fileprivate func decided(for side: Version) -> [Piece] {
    indices.flatMap { index -> [Piece] in
      guard case .disputed(_, let variants) = self[index] else { return [self[index]] }
      // Two variants one above the other, such as rows of a table, are one decision.
      if index > 0, case .disputed(_, variants) = self[index - 1] { return [] }
      return Piece.lines(variants[side])
    }
  }
}
