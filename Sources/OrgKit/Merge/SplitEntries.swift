/// Entries that a side split in two with a new headline above existing text.
///
/// The headline is inserted into the base and the other side at the same position, so that the text below it is the same entry
/// in all versions and merges as such.
struct SplitEntries {
  /// A headline that a side inserted above text of the base.
  private struct Split: Equatable {
    let headline: Bytes
    /// The position in the base of the line after it.
    let place: Int
    /// The position in the other side; nil if that side has the entry too.
    let elsewhere: Int?
    let other: Version
  }

  private let table: EntityTable

  /// Returns the versions with the headlines of all splits; nil if no side split an entry.
  static func unified(_ table: EntityTable) -> Three<[UInt8]>? {
    let finder = SplitEntries(table: table)
    let splits = finder.unambiguous(finder.splits(by: .ours, other: .theirs) + finder.splits(by: .theirs, other: .ours))
    if splits.isEmpty { return nil }
    func text(_ version: Version) -> [UInt8] {
      let headlines = splits.compactMap { split in
        (version == .base ? split.place : split.other == version ? split.elsewhere : nil).map { ($0, split.headline) }
      }
      return Self.text(table.outlines[version].text, with: Dictionary(headlines) { first, _ in first })
    }
    return Three(base: text(.base), ours: text(.ours), theirs: text(.theirs))
  }

  private static func text(_ text: [UInt8], with headlines: [Int: Bytes]) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    for (position, headline) in headlines.sorted(by: { $0.key < $1.key }) {
      result += text[start..<position] + headline + [.newline]
      start = position
    }
    return result + text[start...]
  }

  /// Returns the splits without rivals at the same position; an entry that both sides have is split only if both split it in
  /// the same way.
  private func unambiguous(_ splits: [Split]) -> [Split] {
    splits.filter { split in
      let rivals = splits.filter { $0.place == split.place }
      if split.elsewhere == nil { return rivals.count == 2 && rivals.allSatisfy { $0.headline == split.headline } }
      return rivals.count == 1
        && splits.count { $0.other == split.other && $0.elsewhere == split.elsewhere } == 1
    }
  }

  private func splits(by version: Version, other: Version) -> [Split] {
    let (outline, numbers) = (table.outlines[version], table.numbers[version])
    let isNew = outline.nodes.indices.map { table.entities[numbers[$0]].base == nil }
    return outline.nodes.indices.flatMap { first -> [Split] in
      guard first > 0, isNew[first], !isNew[first - 1], let base = table.entities[numbers[first - 1]].base,
        let elsewhere = table.entities[numbers[first - 1]][other]
      else { return [] }
      let news = (first..<outline.nodes.count).prefix { isNew[$0] }
      let split = SplitSection(
        table.outlines.base.section(base), kept: outline.section(first - 1), parts: news.map { outline.section($0) },
        isPreamble: outline.nodes[first - 1].level == 0)
      return zip(news, split.places).compactMap { node, place in
        guard let place else { return nil }
        let isShared = table.entities[numbers[node]][other] != nil
        let position = isShared ? nil : split.position(of: place, in: table.outlines[other].section(elsewhere))
        guard isShared || position != nil else { return nil }
        return Split(
          headline: outline.headline(node), place: split.position(of: place), elsewhere: position, other: other)
      }
    }
  }
}

/// A section of the base whose lines are in several sections of a side.
private struct SplitSection {
  private let lines: [Bytes]
  /// For each part the first line of the base; nil if it is not a part of the base.
  private(set) var places: [Int?]

  init(_ base: Bytes, kept: Bytes, parts: [Bytes], isPreamble: Bool) {
    lines = Array(base.lines)
    let sections = [kept] + parts
    let all = sections.flatMap { Array($0.lines) }
    let partners = Alignment(lines.map(\.collapsed), all.map(\.collapsed)).partners
    let head = Section(base, isPreamble: isPreamble).headLines.count
    var start = kept.lines.count
    places = []
    for part in parts {
      let range = start..<start + part.lines.count
      start = range.upperBound
      places.append(Self.place(of: range, partners, lines, all, from: head))
    }
  }

  /// Returns the first base line whose counterpart is in `range` of the side. Nil unless the text line before it also has a
  /// counterpart, and at least half of the text lines in `range` come from the base.
  private static func place(
    of range: Range<Int>, _ partners: [Int?], _ lines: [Bytes], _ all: [Bytes], from head: Int
  ) -> Int? {
    let text = lines.indices.filter { !lines[$0].isBlank }
    guard let first = text.first(where: { partners[$0].map(range.contains) ?? false }), first >= head else {
      return nil
    }
    let known = text.count { partners[$0].map(range.contains) ?? false }
    guard 2 * known >= range.count(where: { !all[$0].isBlank }) else { return nil }
    let before = text.last { $0 < first }
    return before == nil || partners[before ?? 0] != nil ? first : nil
  }

  /// Returns the position of a line in the text of the base.
  func position(of place: Int) -> Int { lines[place].startIndex }

  /// Returns the corresponding position in the section of another version; nil if it is ambiguous.
  func position(of place: Int, in section: Bytes) -> Int? {
    let others = Array(section.lines)
    let partners = Alignment(lines.map(\.collapsed), others.map(\.collapsed)).partners
    let before = lines[..<place].lastIndex { !$0.isBlank }
    let behind = before.flatMap { partners[$0] }.map { $0 + 1 }
    let next = behind.flatMap { behind in others[behind...].firstIndex { !$0.isBlank } }
    switch (partners[place], next) {
    case (let line?, let next?): return line == next ? others[line].startIndex : nil
    case (let line?, nil): return line == 0 || others[line - 1].isBlank ? others[line].startIndex : nil
    case (nil, let next?):
      let isApart = behind.map { $0 < next } ?? false
      return isApart && lines[place - 1].isBlank ? others[next].startIndex : nil
    case (nil, nil): return nil
    }
  }
}
