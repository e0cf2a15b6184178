/// The version from which the two versions of a conflict were made.
///
/// iCloud does not say it. The last agreed version is not always the one: a device that was offline has edited an older one, and its
/// version lacks what was agreed since, without anybody having deleted it.
enum ConflictAncestor {
  /// Returns the newest version whose change both versions of a conflict have, or the oldest one, of which no change is known; nil
  /// if there is none.
  ///
  /// Where the choice is wrong, it is an older version: then what both have changed alike merges without a conflict, and a place
  /// that both have changed twice becomes one, but nothing is reverted.
  ///
  /// - Parameter versions: the agreed versions, the newest first, each followed by the one before it.
  static func ancestor(of one: [UInt8], and other: [UInt8], among versions: [[UInt8]]) -> [UInt8]? {
    let sides = [LineCounts(one), LineCounts(other)]
    for (version, previous) in zip(versions, versions.dropFirst()) {
      let (new, old) = (LineCounts(version), LineCounts(previous))
      if sides.allSatisfy({ $0.hasChange(from: old, to: new) }) { return version }
    }
    return versions.last
  }
}

/// The number of copies of each line in a text. Blank lines are left out, because they say nothing.
private struct LineCounts {
  private var counts: [ArraySlice<UInt8>: Int] = [:]

  init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) where !line.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
      counts[line, default: 0] += 1
    }
  }

  /// True if this text has every line that was added from one version to the next, and none more of those that were removed.
  func hasChange(from old: LineCounts, to new: LineCounts) -> Bool {
    new.counts.allSatisfy { line, count in count <= old.counts[line, default: 0] || counts[line, default: 0] >= count }
      && old.counts.allSatisfy { line, count in
        let left = new.counts[line, default: 0]
        return left >= count || counts[line, default: 0] <= left
      }
  }
}
