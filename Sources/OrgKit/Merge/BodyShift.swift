/// Handles bodies that an editor indented to their outline: shifting all lines by the same columns is layout, not content.
enum BodyShift {
  /// Returns the sections with the shift of one side applied to all; unchanged if the other side moved some of the lines, as it
  /// has after an earlier merge.
  static func aligned(_ sections: Three<Bytes>) -> Three<Bytes> {
    if sections.base.isEmpty { return sections }
    let shifts = [sections.ours, sections.theirs].map { shift(from: sections.base, to: $0) }
    switch (shifts[0], shifts[1]) {
    case (let columns, 0) where columns != 0 && stands(sections.theirs, as: sections.base):
      return Three(
        base: shifted(sections.base, by: columns), ours: sections.ours, theirs: shifted(sections.theirs, by: columns))
    case (0, let columns) where columns != 0 && stands(sections.ours, as: sections.base):
      return Three(
        base: shifted(sections.base, by: columns), ours: shifted(sections.ours, by: columns), theirs: sections.theirs)
    default:
      return sections
    }
  }

  /// Returns the number of columns by which all equal lines moved; 0 if it is not the same for all.
  private static func shift(from base: Bytes, to side: Bytes) -> Int {
    let (lines, others) = (base.lines, side.lines)
    // An unchanged position of the first or last line proves that nothing was shifted.
    if lines.first == others.first || lines.last == others.last { return 0 }
    let shifts = moves(from: lines, to: others)
    guard let first = shifts.first, first != 0, shifts.allSatisfy({ $0 == first }) else { return 0 }
    // The side's own new lines must be shifted as well.
    return others.margin == lines.margin + first ? first : 0
  }

  /// Returns true if no line that both versions have moved to other columns.
  private static func stands(_ side: Bytes, as base: Bytes) -> Bool {
    moves(from: base.lines, to: side.lines).allSatisfy { $0 == 0 }
  }

  /// Returns the number of columns by which each line moved that both versions have.
  private static func moves(from lines: Lines, to others: Lines) -> [Int] {
    let partners = Alignment(lines.map(\.collapsed), others.map(\.collapsed)).partners
    return lines.indices.compactMap { index in
      guard let partner = partners[index], !lines[index].isBlank else { return nil }
      return others[partner].indentationWidth - lines[index].indentationWidth
    }
  }

  private static func shifted(_ section: Bytes, by columns: Int) -> Bytes {
    Array(section.lines.map { shifted($0, by: columns) + [.newline] }.joined())[...]
  }

  /// Shifts a line by some columns, but not beyond the margin.
  static func shifted(_ line: Bytes, by columns: Int) -> [UInt8] {
    if line.isBlank { return Array(line) }
    let width = max(0, line.indentationWidth + columns)
    return Array(repeating: .space, count: width) + line.trimmedLeft
  }
}

extension Lines {
  /// The smallest indentation of the lines that are not blank.
  fileprivate var margin: Int { indices.lazy.filter { !isBlank($0) }.map(indentation).min() ?? 0 }
}
