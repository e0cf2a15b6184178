/// The positions of the lines that end blocks and drawers, found in one pass on first use.
///
/// Each lookup is a binary search, so that many blocks without an end do not take quadratic time.
struct BlockEnds {
  private let lines: Lines
  private var places: [[UInt8]: [Int]]?

  init(_ lines: Lines) {
    self.lines = lines
  }

  /// Returns the position after the next line below `start` that equals `text`, which is in lower case; ignores the case of the
  /// line.
  mutating func end(of text: [UInt8], after start: Int) -> Int? {
    let all = places ?? found()
    places = all
    guard let candidates = all[text] else { return nil }
    let next = candidates.partition { $0 > start }
    return next < candidates.count ? candidates[next] + 1 : nil
  }

  private func found() -> [[UInt8]: [Int]] {
    var found: [[UInt8]: [Int]] = [:]
    for line in lines.indices {
      guard let first = lines.first(line), Self.mayEndWith(first) else { continue }
      let content = lines[line].trimmed
      if Self.mayEnd(content) { found[content.lowercased, default: []].append(line) }
    }
    return found
  }

  private static func mayEndWith(_ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "#"), .colon, UInt8(ascii: "-"), UInt8(ascii: "\\"): true
    default: false
    }
  }

  private static func mayEnd(_ content: Bytes) -> Bool {
    content.hasPrefix(ignoringCase: "#+end") || content.hasPrefix(ignoringCase: ":end:")
      || content.hasPrefix(ignoringCase: "-----end") || content.hasPrefix(ignoringCase: "\\end{")
  }
}
