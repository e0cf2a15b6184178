/// Which entry of one version of a file is which entry of another one.
///
/// Entries are found by what they say, as a merge does it: by ID, by title and text, by likeness.
public struct OrgPairs: Sendable {
  private let partners: [Int?]

  /// Compares two versions of a file.
  public init(from old: OrgDocument, to new: OrgDocument) {
    let keywords = Keywords(of: [old.outline, new.outline], otherwise: old.usualKeywords)
    partners = EntryMatching(old.outline, new.outline, roots: [(0, 0)], keywords: keywords).ofSide
  }

  /// The place in the old version of the entry that stands at `place` in the new one; nil if it is new.
  public func oldPlace(ofNew place: Int) -> Int? { partners[place + 1].map { $0 - 1 } }
}
