/// The parts of a text with an unresolved conflict, which no verb may change: entries that a merge has flagged, and entries that
/// the markers of a merge line by line touch.
struct ConflictedParts: Sendable {
  /// The ranges of entries, each from its headline to the next one; in the preamble from the start of the file.
  private(set) var ranges: [Range<Int>]
  /// True if a change has touched one of the parts.
  private(set) var isTouched = false

  /// Finds the parts of a text.
  init(of buffer: OrgBuffer) {
    ranges = []
    let text = buffer.text
    var (position, opening, isDivided) = (0, Int?.none, false)
    while position < text.count {
      let line = text[position..<buffer.lineEnd(position)]
      switch line.first {
      case UInt8(ascii: "<") where line.isMarker("<"): (opening, isDivided) = (position, false)
      case UInt8(ascii: "=") where line.isMarker("="): isDivided = true
      case UInt8(ascii: ">") where line.isMarker(">"):
        // Half a conflict is text about conflicts.
        if let opening, isDivided { add(from: opening, through: position, buffer) }
        opening = nil
      case UInt8(ascii: "*"), UInt8(ascii: ":"), .space, .tab:
        if line.isFlag { add(from: position, through: position, buffer) }
      default: break
      }
      position = line.endIndex + 1
    }
  }

  private mutating func add(from first: Int, through last: Int, _ buffer: OrgBuffer) {
    ranges.append((buffer.heading(containing: first) ?? 0)..<buffer.nextHeading(last))
  }

  /// Returns true if a part contains a position.
  func contains(_ position: Int) -> Bool { ranges.contains { $0.contains(position) } }

  /// Follows the replacement of a range by a number of bytes. An insertion right before or behind a part does not touch it.
  mutating func follow(_ range: Range<Int>, newCount: Int) {
    let shift = newCount - range.count
    for index in ranges.indices {
      let part = ranges[index]
      if range.upperBound <= part.lowerBound {
        ranges[index] = (part.lowerBound + shift)..<(part.upperBound + shift)
      } else if range.lowerBound < part.upperBound {
        isTouched = true
      }
    }
  }
}

extension Bytes {
  /// True for seven of a character, alone in the line or followed by a space.
  fileprivate func isMarker(_ character: Unicode.Scalar) -> Bool {
    let length = 7
    guard prefix(length).count == length, prefix(length).allSatisfy({ $0 == UInt8(ascii: character) }) else {
      return false
    }
    let rest = dropFirst(length)
    return rest.first.map(\.isBlank) ?? true
  }

  /// True for the drawer `CONFLICT` and for a headline with this tag.
  fileprivate var isFlag: Bool {
    guard firstRange(of: Array(":CONFLICT:".utf8)) != nil else { return false }
    guard first == .star else { return trimmed.equals(ignoringCase: ":conflict:") }
    let stars = prefix { $0 == .star }
    return self[stars.endIndex...].first == .space && trimmedRight.last == .colon
  }
}

extension OrgEditor {
  /// Refuses a verb for an entry with a conflict, or between the markers of one.
  mutating func refuseConflictedEntry() throws(Refusal) {
    guard let heading, buffer.conflicts.contains(heading) else { return }
    throw Self.conflict(at: buffer.lineNumber(heading), in: buffer.path)
  }

  static func conflict(at line: Int?, in path: String) -> Refusal {
    let place = line.map { "the entry at line \($0) of \(path)" } ?? "an entry of \(path) that would be changed"
    return Refusal(.conflict, "\(place) has an unresolved conflict; nothing was changed")
  }
}
