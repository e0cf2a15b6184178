/// The skeleton of one or several files: where the headlines are and how they nest, found in one pass over the bytes.
///
/// No state is carried from line to line, for a headline is one wherever it stands; fifteen stars and more are inline
/// tasks, which belong to the text around them. Hence no file nests deeper than fourteen levels.
struct Outline: Sendable {
  /// One entry, or the preamble of a file as the root of its entries.
  ///
  /// The nodes of a file follow each other without a hole: blank lines above the headline, headline, section.
  struct Node: Sendable {
    /// Where the blank lines above the headline begin.
    var gapStart: Int
    /// Where the headline begins.
    var start: Int
    /// Where the headline ends, before its line feed.
    var headlineEnd: Int
    /// Where the section ends, before the blank lines that follow.
    var end: Int
    /// The number of stars; a root has none.
    var level: Int
    /// The index of the parent; a root is its own.
    var parent: Int
    /// The index behind the last descendant.
    var subtreeEnd: Int
  }

  /// Entries have fewer stars than this.
  static let inlineTaskLevel = 15

  let text: [UInt8]
  /// For every file its root and then all entries in document order.
  private(set) var nodes: [Node] = []
  /// Where the lines begin that may declare keywords.
  private(set) var declarations: [Int] = []

  /// The outline of one file.
  init(_ text: [UInt8]) {
    self.init(text, files: [0..<text.count])
  }

  /// The outline of several files that stand one behind the other in `text`; each one begins on a new line.
  init(_ text: [UInt8], files: [Range<Int>]) {
    self.text = text
    for file in files {
      let start = text[file].starts(with: [0xEF, 0xBB, 0xBF]) ? file.lowerBound + 3 : file.lowerBound
      beginEntry(level: 0, gapStart: start, start: start, headlineEnd: start)
      findHeadlines(from: start, to: file.upperBound)
    }
    nest()
  }

  /// Where the roots are.
  var roots: [Int] {
    var roots: [Int] = []
    var root = 0
    while root < nodes.count {
      roots.append(root)
      root = nodes[root].subtreeEnd
    }
    return roots
  }

  /// The bytes of the headline without its line feed; empty for the root.
  func headline(_ index: Int) -> Bytes { text[nodes[index].start..<nodes[index].headlineEnd] }

  /// The bytes below the headline, without the blank lines at their end.
  func section(_ index: Int) -> Bytes {
    let node = nodes[index]
    return text[min(node.headlineEnd + (node.level == 0 ? 0 : 1), node.end)..<node.end]
  }

  /// The bytes of headline and section.
  func entry(_ index: Int) -> Bytes { text[nodes[index].start..<nodes[index].end] }

  /// The bytes of headline and section behind the stars, which tell nothing but the place.
  func entryWithoutStars(_ index: Int) -> Bytes { entry(index).dropFirst(nodes[index].level) }

  /// The blank lines above the headline.
  func gap(_ index: Int) -> Bytes { text[nodes[index].gapStart..<nodes[index].start] }

  /// The blank lines below an entry, before the next one or the end of the text.
  func gapBehind(_ index: Int) -> Bytes {
    let end = index + 1 < nodes.count ? nodes[index + 1].start : text.count
    return text[nodes[index].end..<end]
  }

  /// The indices of the children in order.
  func children(of index: Int) -> [Int] {
    var children: [Int] = []
    var child = index + 1
    while child < nodes[index].subtreeEnd {
      children.append(child)
      child = nodes[child].subtreeEnd
    }
    return children
  }

  private mutating func findHeadlines(from start: Int, to count: Int) {
    let text = text
    let bytes = text.span
    var line = start
    // Behind the last line with text in it: the blank lines since then are the gap of what comes.
    var contentEnd = start
    while line < count {
      var end = line
      while end < count, bytes[end].isBlank { end += 1 }
      let isBlank = end == count || bytes[end] == .newline
      end = bytes.lineEnd(from: end, to: count)
      let next = min(end + 1, count)
      if !isBlank {
        if bytes[line] == .star, let level = headlineLevel(bytes, line, end) {
          beginEntry(level: level, gapStart: contentEnd, start: line, headlineEnd: end)
        } else if mayDeclareKeywords(bytes, line, end) {
          declarations.append(line)
        }
        contentEnd = next
        nodes[nodes.count - 1].end = next
      }
      line = next
    }
  }

  private mutating func beginEntry(level: Int, gapStart: Int, start: Int, headlineEnd: Int) {
    nodes.append(
      Node(
        gapStart: gapStart, start: start, headlineEnd: headlineEnd, end: headlineEnd, level: level, parent: 0,
        subtreeEnd: 0))
  }

  /// Fills in parents and ends of subtrees, from the levels.
  private mutating func nest() {
    var open: [Int] = []
    for index in nodes.indices {
      while let last = open.last, nodes[last].level >= nodes[index].level {
        nodes[open.removeLast()].subtreeEnd = index
      }
      nodes[index].parent = open.last ?? index
      open.append(index)
    }
    for index in open { nodes[index].subtreeEnd = nodes.count }
  }
}

/// The stars of a line that is a headline and no inline task: stars, then a space.
private func headlineLevel(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
  var level = 0
  while start + level < end, bytes[start + level] == .star { level += 1 }
  guard level < Outline.inlineTaskLevel, start + level < end, bytes[start + level] == .space else { return nil }
  return level
}

/// A cheap look at the first letters of `#+TODO:` and its kin.
private func mayDeclareKeywords(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
  guard bytes[start] == UInt8(ascii: "#"), start + 2 < end, bytes[start + 1] == UInt8(ascii: "+") else { return false }
  let letter = bytes[start + 2].lowercased
  return letter == UInt8(ascii: "t") || letter == UInt8(ascii: "s")
}
