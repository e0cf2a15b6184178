/// Emacs compares an entry's tags with a function that modifies the lists (org-mobile-tags-same-p, measured in six versions),
/// so that one edit cannot express every change of tags.
enum TagLists {
  /// The values to send, one edit after the other, so that an entry with the tags `old` ends up with `new`.
  static func steps(from old: [String], to new: [String]) -> [[String]] {
    if old.map(\.bytes) == new.map(\.bytes) { return [] }
    return isUnderstood(from: old.map(\.bytes), to: new.map(\.bytes)) ? [new] : [[], new]
  }

  /// Returns true if one edit suffices: all tags go, the last tags go, or new tags follow some of the old ones in their order.
  private static func isUnderstood(from old: [Bytes], to new: [Bytes]) -> Bool {
    if new.isEmpty || old.isEmpty || old.starts(with: new) { return true }
    let kept = new.prefix(while: old.contains)
    let added = new[kept.count...]
    guard !added.isEmpty, !added.contains(where: old.contains) else { return false }
    return isSubsequence(Array(kept), of: old)
  }

  private static func isSubsequence(_ part: [Bytes], of whole: [Bytes]) -> Bool {
    var rest = whole[...]
    return part.allSatisfy { tag in
      guard let place = rest.firstIndex(of: tag) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }
}

extension String {
  fileprivate var bytes: Bytes { Bytes(utf8) }
}
