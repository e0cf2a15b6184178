/// The correspondence between the entries of two versions of a file.
///
/// Entries are matched by content, as in a merge: by ID, by title and text, by similarity.
public struct OrgPairs: Sendable {
  private let partners: [Int?]

  /// Compares two versions of a file.
  public init(from old: OrgDocument, to new: OrgDocument) {
    let keywords = Keywords(of: [old.outline, new.outline], otherwise: old.usualKeywords)
    partners = EntryMatching(old.outline, new.outline, roots: [(0, 0)], keywords: keywords).ofSide
  }

  /// Returns the position in the old version of the entry at `place` in the new one; nil if it is new.
  public func oldPlace(ofNew place: Int) -> Int? { partners[place + 1].map { $0 - 1 } }
}
