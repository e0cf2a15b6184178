/// The changes between two versions of a text, by line.
public struct LineDiff: Sendable, Equatable {
  /// Removed and added lines at one position.
  public struct Change: Sendable, Equatable {
    /// The number of the first affected line in the old and new version, from one.
    public var start: (old: Int, new: Int)
    /// The removed lines, with their ends.
    public var removed: [ArraySlice<UInt8>]
    /// The added lines, with their ends.
    public var added: [ArraySlice<UInt8>]

    /// Two changes are equal if their positions and lines are.
    public static func == (one: Change, other: Change) -> Bool {
      one.start == other.start && one.removed == other.removed && one.added == other.added
    }
  }

  /// The changes from top to bottom; none if the versions are equal.
  public private(set) var changes: [Change] = []

  /// Compares two versions of a text.
  public init(from old: [UInt8], to new: [UInt8]) {
    let (before, after) = (lines(of: old[...]), lines(of: new[...]))
    var (left, right) = (0, 0)
    for (index, partner) in Alignment(before, after).partners.enumerated() {
      guard let partner else { continue }
      record(before, left..<index, after, right..<partner)
      (left, right) = (index + 1, partner + 1)
    }
    record(before, left..<before.count, after, right..<after.count)
  }

  private mutating func record(
    _ before: [ArraySlice<UInt8>], _ left: Range<Int>, _ after: [ArraySlice<UInt8>], _ right: Range<Int>
  ) {
    if left.isEmpty, right.isEmpty { return }
    changes.append(
      Change(
        start: (left.lowerBound + 1, right.lowerBound + 1), removed: Array(before[left]), added: Array(after[right])))
  }
}

extension LineDiff: CustomStringConvertible {
  /// The changes as text: the position, then removed and added lines.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension LineDiff.Change: CustomStringConvertible {
  /// The change as text.
  public var description: String {
    let place = "@@ -\(start.old),\(removed.count) +\(start.new),\(added.count) @@"
    let gone = removed.map { "-\($0.trimmedOfEnd.string)" }
    return ([place] + gone + added.map { "+\($0.trimmedOfEnd.string)" }).joined(separator: "\n")
  }
}

extension ArraySlice<UInt8> {
  /// The line without its line feed.
  fileprivate var trimmedOfEnd: Bytes { last == .newline ? dropLast() : self }
}
