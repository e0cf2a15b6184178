/// The range of a text that an edit may have changed, under every alignment of equal words.
///
/// The words before and after it are the common beginning and end of two versions. If a word was deleted from a run of equal
/// words, the common parts overlap, and any word of the run may be the deleted one.
struct Window {
  let range: Range<Int>

  /// The window of a change that replaces the words in a range.
  init(_ old: [String], replacing changed: Range<Int>, with middle: [String]) {
    let growth = middle.count - changed.count
    func new(_ index: Int) -> String {
      if index < changed.lowerBound { return old[index] }
      let place = index - changed.lowerBound
      return place < middle.count ? middle[place] : old[index - growth]
    }
    let (count, limit) = (old.count + growth, min(old.count, old.count + growth))
    var (head, tail) = (changed.lowerBound, old.count - changed.upperBound)
    while head < limit, old[head] == new(head) { head += 1 }
    while tail < limit, old[old.count - 1 - tail] == new(count - 1 - tail) { tail += 1 }
    let end = old.count - tail
    // Of several equal parts, any may be the deleted one.
    range = growth < 0 ? min(head, count - tail)..<max(head - growth, end) : min(head, end)..<max(head, end)
  }

  /// Returns true if two edits touch the same words, or insert at the same place.
  func overlaps(_ other: Window) -> Bool {
    range.lowerBound == other.range.lowerBound && range.upperBound == other.range.upperBound
      || range.lowerBound < other.range.upperBound && other.range.lowerBound < range.upperBound
      || range.isEmpty && other.range.lowerBound < range.lowerBound && range.lowerBound < other.range.upperBound
  }

  private init(_ range: Range<Int>) { self.range = range }

  /// The range from the first of two windows to the last.
  func joined(with other: Window) -> Window {
    Window(
      min(range.lowerBound, other.range.lowerBound)..<max(range.upperBound, other.range.upperBound))
  }

  /// Returns true if another window is inside this one, adjacent to it, or overlaps it.
  func touches(_ other: Window) -> Bool {
    range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
  }

  /// The range between two windows that do not overlap.
  func gap(to other: Window) -> Range<Int> {
    let (first, second) = range.upperBound <= other.range.lowerBound ? (range, other.range) : (other.range, range)
    return first.upperBound..<max(first.upperBound, second.lowerBound)
  }
}

/// A text as words and line ends, without text that is derived from other parts.
struct Tokens {
  let all: [String]
  private let lines: [String]
  /// The number of tokens before each line, and the total.
  private let starts: [Int]
  private let layout: Part.Layout

  init(of root: Part, _ layout: Part.Layout) {
    var layout = layout
    layout.isPlain = true
    let lines = root.text(layout)
    let tokens = lines.map(Self.tokens)
    starts = tokens.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    all = Array(tokens.joined())
    (self.lines, self.layout) = (lines, layout)
  }

  private static func tokens(of line: String) -> [String] { line.split(separator: " ").map(String.init) + ["\n"] }

  /// The window of the changes in another version of the document; nil if only the layout changed.
  func window(to root: Part) -> Window? {
    let new = root.text(layout)
    let limit = min(lines.count, new.count)
    var (head, tail) = (0, 0)
    while head < limit, lines[head] == new[head] { head += 1 }
    while tail < limit - head, lines[lines.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    if head == lines.count, head == new.count { return nil }
    let middle = new[head..<new.count - tail].flatMap(Self.tokens)
    return Window(all, replacing: starts[head]..<starts[lines.count - tail], with: middle)
  }
}
