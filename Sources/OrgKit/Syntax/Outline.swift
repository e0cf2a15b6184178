/// The structure of one or several files: the positions and nesting of the headlines, found in one pass over the bytes.
///
/// No state is carried from line to line, because a headline is one wherever it occurs; fifteen or more stars are inline tasks,
/// which belong to the text around them. Hence no file nests deeper than fourteen levels.
struct Outline: Sendable {
  /// One entry, or the preamble of a file as the root of its entries.
  ///
  /// The nodes of a file are contiguous: blank lines above the headline, headline, section.
  struct Node: Sendable {
    /// The start of the blank lines above the headline.
    var gapStart: Int
    /// The start of the headline.
    var start: Int
    /// The end of the headline, before its line feed.
    var headlineEnd: Int
    /// The end of the section, before trailing blank lines.
    var end: Int
    /// The number of stars; 0 for a root.
    var level: Int
    /// The index of the parent; a root is its own.
    var parent: Int
    /// The index after the last descendant.
    var subtreeEnd: Int
  }

  /// The number of stars of inline tasks; entries have fewer.
  static let inlineTaskLevel = 15

  let text: [UInt8]
  /// For every file its root and then its entries in document order.
  private(set) var nodes: [Node] = []
  /// The positions of lines that may declare keywords.
  private(set) var declarations: [Int] = []

  /// Creates the outline of one file.
  init(_ text: [UInt8]) {
    self.init(text, files: [0..<text.count])
  }

  /// Creates the outline of several concatenated files in `text`; each one begins on a new line.
  init(_ text: [UInt8], files: [Range<Int>]) {
    self.text = text
    for file in files {
      let start = text[file].starts(with: [0xEF, 0xBB, 0xBF]) ? file.lowerBound + 3 : file.lowerBound
      beginEntry(level: 0, gapStart: start, start: start, headlineEnd: start)
      findHeadlines(from: start, to: file.upperBound)
    }
    nest()
  }

  /// The indices of the roots.
  var roots: [Int] {
    var roots: [Int] = []
    var root = 0
    while root < nodes.count {
      roots.append(root)
      root = nodes[root].subtreeEnd
    }
    return roots
  }

  /// Returns the bytes of the headline without its line feed; empty for a root.
  func headline(_ index: Int) -> Bytes { text[nodes[index].start..<nodes[index].headlineEnd] }

  /// Returns the bytes below the headline, without trailing blank lines.
  func section(_ index: Int) -> Bytes {
    let node = nodes[index]
    return text[min(node.headlineEnd + (node.level == 0 ? 0 : 1), node.end)..<node.end]
  }

  /// Returns the bytes of headline and section.
  func entry(_ index: Int) -> Bytes { text[nodes[index].start..<nodes[index].end] }

  /// Returns the bytes of headline and section after the stars, which only encode the level.
  func entryWithoutStars(_ index: Int) -> Bytes { entry(index).dropFirst(nodes[index].level) }

  /// Returns the blank lines above the headline.
  func gap(_ index: Int) -> Bytes { text[nodes[index].gapStart..<nodes[index].start] }

  /// Returns the blank lines below an entry, before the next one or the end of the text.
  func gapBehind(_ index: Int) -> Bytes {
    let end = index + 1 < nodes.count ? nodes[index + 1].start : text.count
    return text[nodes[index].end..<end]
  }

  /// Returns the indices of the children in order.
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
    // The end of the last line with text: later blank lines are the gap of the next node.
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

  /// Computes parents and ends of subtrees from the levels.
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

/// Returns the number of stars if the line is a headline and not an inline task: stars, then a space.
private func headlineLevel(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
  var level = 0
  while start + level < end, bytes[start + level] == .star { level += 1 }
  guard level < Outline.inlineTaskLevel, start + level < end, bytes[start + level] == .space else { return nil }
  return level
}

/// A fast check of the first letters of `#+TODO:` and similar keywords.
private func mayDeclareKeywords(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
  guard bytes[start] == UInt8(ascii: "#"), start + 2 < end, bytes[start + 1] == UInt8(ascii: "+") else { return false }
  let letter = bytes[start + 2].lowercased
  return letter == UInt8(ascii: "t") || letter == UInt8(ascii: "s")
}
