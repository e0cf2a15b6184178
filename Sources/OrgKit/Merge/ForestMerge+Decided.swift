// What is written where one side decides everything that a person would have to decide.

extension ForestMerge {
  /// The entities of a file that its text has, in order: all of them, unless a side decides that deleted some.
  func writtenMembers(of file: Int) -> [Int] {
    guard let side = options.style.side else { return members(of: file) }
    return members(of: file).filter { !isDeleted($0, by: side) }
  }

  /// Returns true if the side deleted an entity that was kept for the edits of the other side, and nothing in it was added.
  private func isDeleted(_ entity: Int, by side: Version) -> Bool {
    structure.isKept[entity] && !structure.isFile(entity) && table.entities[entity][side] == nil
      && structure.children[entity].allSatisfy { isDeleted($0, by: side) }
  }
}

extension OrgMerge.Options.Style {
  /// The side that decides; nil if a person does.
  var side: Version? {
    switch self {
    case .decided(.ours): .ours
    case .decided(.theirs): .theirs
    case .org, .markers: nil
    }
  }
}

extension MergedEntry {
  /// The entry with the side's variant of everything in dispute.
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
      // Two variants that stand one above the other, as rows of a table do, are one decision.
      if index > 0, case .disputed(_, variants) = self[index - 1] { return [] }
      return Piece.lines(variants[side])
    }
  }
}
