import OrgKit

/// The entries of two versions of an Org file side by side, each with its headline and its text, and without children. Pure.
struct EntryAlignment {
  /// One entry, or the text before the first one, of both versions; empty where a version lacks it. Put together, they are the
  /// versions.
  private(set) var pairs: [(ours: ArraySlice<UInt8>, theirs: ArraySlice<UInt8>)] = []

  init(ours: [UInt8], theirs: [UInt8]) {
    let (old, new) = (OrgDocument(ours), OrgDocument(theirs))
    let (left, right) = (Self.parts(of: old), Self.parts(of: new))
    var next = (ours: 0, theirs: 0)
    for anchor in Self.anchors(old, new) + [(ours: left.count, theirs: right.count)] {
      addUnpaired(left[next.ours..<anchor.ours], right[next.theirs..<anchor.theirs])
      guard anchor.ours < left.count else { break }
      pairs.append((ours: left[anchor.ours], theirs: right[anchor.theirs]))
      next = (anchor.ours + 1, anchor.theirs + 1)
    }
  }

  /// Returns the text before the first entry, and each entry up to the next one.
  private static func parts(of document: OrgDocument) -> [ArraySlice<UInt8>] {
    let bytes = document.bytes
    var starts = [bytes.startIndex] + document.entries.map(\.bytes.startIndex)
    // A byte order mark belongs to the line behind it.
    if starts.count > 1, bytes[..<starts[1]].elementsEqual([0xEF, 0xBB, 0xBF]) { starts[1] = bytes.startIndex }
    return zip(starts, starts.dropFirst() + [bytes.endIndex]).map { bytes[$0..<$1] }
  }

  /// Returns the numbers of the parts that belong together and have the same order in both versions.
  private static func anchors(_ old: OrgDocument, _ new: OrgDocument) -> [(ours: Int, theirs: Int)] {
    let found = OrgPairs(from: old, to: new)
    let pairs = new.entries.indices.compactMap { place in
      found.oldPlace(ofNew: place).map { (ours: $0 + 1, theirs: place + 1) }
    }
    return [(ours: 0, theirs: 0)] + longestRising(pairs)
  }

  /// Returns the longest part of a sequence in which the first numbers rise.
  private static func longestRising(_ pairs: [(ours: Int, theirs: Int)]) -> [(ours: Int, theirs: Int)] {
    // The last pairs of the best sequences of each length, and the pair before each pair.
    var (ends, before) = ([Int](), [Int?](repeating: nil, count: pairs.count))
    for (index, pair) in pairs.enumerated() {
      let length = ends.partitioningIndex { pairs[$0].ours >= pair.ours }
      before[index] = length > 0 ? ends[length - 1] : nil
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var (result, next) = ([(ours: Int, theirs: Int)](), ends.last)
    while let index = next {
      result.append(pairs[index])
      next = before[index]
    }
    return result.reversed()
  }

  /// Adds entries between two pairs. As many of them on both sides are the same entries with other words.
  private mutating func addUnpaired(_ ours: ArraySlice<ArraySlice<UInt8>>, _ theirs: ArraySlice<ArraySlice<UInt8>>) {
    if ours.count == theirs.count {
      pairs += zip(ours, theirs).map { (ours: $0, theirs: $1) }
    } else {
      pairs += ours.map { (ours: $0, theirs: []) } + theirs.map { (ours: [], theirs: $0) }
    }
  }
}

extension [Int] {
  /// Returns the first position whose element satisfies a condition, which all elements behind it satisfy, too.
  fileprivate func partitioningIndex(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
