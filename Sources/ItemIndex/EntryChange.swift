import OrgKit

/// The entries of a file that differ between two versions: one range of places in each. Everything before and behind is equal.
struct EntryChange: Equatable {
  let old: Range<Int>
  let new: Range<Int>

  /// Compares two versions.
  ///
  /// - Parameter isWhole: true if all entries differ, because settings of the file have changed.
  init(from before: [OrgEntryMark], to after: [OrgEntryMark], isWhole: Bool = false) {
    guard !isWhole else {
      (old, new) = (0..<before.count, 0..<after.count)
      return
    }
    var first = 0
    while first < min(before.count, after.count), before[first] == after[first] { first += 1 }
    var last = 0
    while last < min(before.count, after.count) - first,
      before[before.count - 1 - last] == after[after.count - 1 - last]
    {
      last += 1
    }
    let (removed, added) = (before[first..<(before.count - last)], after[first..<(after.count - last)])
    // Entries below a changed headline have other parents, tags or paths.
    if !removed.map(\.head).elementsEqual(added.map(\.head)) {
      let level = (removed + added).map(\.level).min() ?? 0
      while last > 0, after[after.count - last].level > level { last -= 1 }
    }
    (old, new) = (first..<(before.count - last), first..<(after.count - last))
  }
}
