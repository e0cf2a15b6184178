/// A three-way merge of texts of any kind by lines.
///
/// Lines are compared byte for byte, including the terminator. A region that one side changed is taken from that side, a region
/// that both changed in the same way is taken once; regions that both changed differently, or adjacent changes, are conflicts.
/// No rule prefers a side: exchanging `ours` and `theirs` gives the same clean result.
public struct LineMerge: Sendable, Equatable {
  /// A region of the result.
  public enum Section: Sendable, Equatable {
    /// Lines that need no decision.
    case merged(ArraySlice<UInt8>)
    /// Lines that a user must decide on.
    case conflict(Conflict)
  }

  /// One region in all three versions; any of them may be empty, and no two are equal.
  public struct Conflict: Sendable, Equatable {
    /// The region in the last common version.
    public var base: ArraySlice<UInt8>
    /// The region on our side.
    public var ours: ArraySlice<UInt8>
    /// The region on their side.
    public var theirs: ArraySlice<UInt8>
  }

  /// The result from top to bottom.
  public private(set) var sections: [Section] = []

  /// Merges the changes of `ours` and `theirs` to `base`; without a common base, pass an empty one.
  public init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    if ours == theirs || theirs == base {
      append(ours[...])
    } else if ours == base {
      append(theirs[...])
    } else {
      mergeLines(base, ours, theirs)
    }
  }

  /// True if the merge is clean.
  public var isClean: Bool { content != nil }

  /// The merged text, or nil if there is a conflict.
  public var content: [UInt8]? {
    var content: [UInt8] = []
    for section in sections {
      guard case .merged(let lines) = section else { return nil }
      content += lines
    }
    return content
  }

  /// Returns the merged text, with the lines of one side for every conflict.
  public func decided(for side: OrgMerge.Options.Side) -> [UInt8] {
    sections.flatMap { section in
      switch section {
      case .merged(let lines): lines
      case .conflict(let conflict): side == .ours ? conflict.ours : conflict.theirs
      }
    }
  }

  private mutating func mergeLines(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) {
    let head = commonHead(base, ours, theirs)
    let tail = commonTail(base, ours, theirs, after: head)
    append(base[..<head])
    let versions = [base, ours, theirs].map { lines(of: $0[head..<$0.count - tail]) }
    var table = LineTable()
    let numbers = versions.map { table.numbers(of: $0) }
    let merge = ThreeWay(
      ours: Alignment(numbers[0], numbers[1], symbols: table.count), count: numbers[1].count,
      theirs: Alignment(numbers[0], numbers[2], symbols: table.count), count: numbers[2].count)
    for region in merge.regions {
      append(
        Conflict(
          base: joined(versions[0][region.base], in: base), ours: joined(versions[1][region.ours], in: ours),
          theirs: joined(versions[2][region.theirs], in: theirs)))
    }
    append(base[(base.count - tail)...])
  }

  /// Adds the merge of a region: one side's text if the other side agrees or did not change it.
  private mutating func append(_ stretch: Conflict) {
    if stretch.ours == stretch.theirs || stretch.theirs == stretch.base {
      append(stretch.ours)
    } else if stretch.ours == stretch.base {
      append(stretch.theirs)
    } else {
      sections.append(.conflict(stretch))
    }
  }

  private mutating func append(_ lines: ArraySlice<UInt8>) {
    if !lines.isEmpty { sections.append(.merged(lines)) }
  }
}

extension LineMerge {
  /// Returns the text that contains all lines of the other in order; nil if neither does, or if one is empty or binary.
  public static func whole(_ one: [UInt8], _ other: [UInt8]) -> [UInt8]? {
    guard !one.isEmpty, !other.isEmpty, !OrgMerge.isBinary(one), !OrgMerge.isBinary(other) else { return nil }
    let (longer, shorter) = one.count >= other.count ? (one, other) : (other, one)
    var rest = lines(of: shorter[...])[...]
    for line in lines(of: longer[...]) where rest.first == line { rest.removeFirst() }
    return rest.isEmpty ? longer : nil
  }
}

/// The slice of `text` that consecutive lines cover.
private func joined(_ lines: ArraySlice<ArraySlice<UInt8>>, in text: [UInt8]) -> ArraySlice<UInt8> {
  guard let first = lines.first, let last = lines.last else { return [] }
  return text[first.startIndex..<last.endIndex]
}

/// The length of the complete lines with which all three texts begin.
private func commonHead(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8]) -> Int {
  let limit = min(first.count, second.count, third.count)
  var (length, lineStart) = (0, 0)
  while length < limit, first[length] == second[length], first[length] == third[length] {
    length += 1
    if first[length - 1] == .newline { lineStart = length }
  }
  return lineStart
}

/// The length of the complete lines with which all three texts end, without the first `head` bytes of any.
private func commonTail(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8], after head: Int) -> Int {
  let limit = min(first.count, second.count, third.count) - head
  var length = 0
  while length < limit {
    let byte = first[first.count - 1 - length]
    guard byte == second[second.count - 1 - length], byte == third[third.count - 1 - length] else { break }
    length += 1
  }
  // The first of these lines is complete only if the line above it ends in all three texts.
  while length > 0, first[first.count - length] != .newline { length -= 1 }
  return max(0, length - 1)
}
