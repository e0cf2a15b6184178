/// The stretch of a text that an edit touches, wherever among equal words it may be read to have been made.
///
/// The words before it and behind it are all that two versions have in common at their ends. Where a word was deleted
/// from a run of equal words the ends overlap, and any of the run may be the one.
struct Window {
  let range: Range<Int>

  init(from old: [String], to new: [String]) {
    let limit = min(old.count, new.count)
    var (head, tail) = (0, 0)
    while head < limit, old[head] == new[head] { head += 1 }
    while tail < limit, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    let end = old.count - tail
    range = min(head, end)..<max(head, end)
  }

  /// Returns true if two edits touch the same words, or put something at the same place.
  func overlaps(_ other: Window) -> Bool {
    range.lowerBound == other.range.lowerBound && range.upperBound == other.range.upperBound
      || range.lowerBound < other.range.upperBound && other.range.lowerBound < range.upperBound
      || range.isEmpty && other.range.lowerBound < range.lowerBound && range.lowerBound < other.range.upperBound
  }

  /// What lies between two windows that do not overlap.
  func gap(to other: Window) -> Range<Int> {
    let (first, second) = range.upperBound <= other.range.lowerBound ? (range, other.range) : (other.range, range)
    return first.upperBound..<max(first.upperBound, second.lowerBound)
  }
}

extension Part {
  /// The text as words and line ends, without what follows from other parts.
  func tokens(_ layout: Part.Layout) -> [String] {
    var layout = layout
    layout.isPlain = true
    return text(layout).flatMap { $0.split(separator: " ").map(String.init) + ["\n"] }
  }
}
