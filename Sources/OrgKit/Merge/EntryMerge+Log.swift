extension EntryMerge {
  /// Merges logs as ordered sets of items; the lines include those that open and close a drawer.
  mutating func log(_ logs: Three<[Bytes]>) -> [Piece] {
    if let settled = logs.settled { return Piece.lines(settled) }
    let drawers = logs.map { LogLines(Lines($0)) }
    let items = drawers.map { LogItem.items(of: $0.items) }
    let keys = items.map { $0.map(\.key) }
    let meanings = items.map { $0.map(\.meaning) }
    let matched = MatchedParts(
      Self.pairs((keys.base, keys.ours), (meanings.base, meanings.ours)),
      Self.pairs((keys.base, keys.theirs), (meanings.base, meanings.theirs)), meanings: meanings
    ) { added, _ in
      added.pairEqual({ meanings.ours[$0] }, { meanings.theirs[$0] })
      added.pairEqual({ keys.ours[$0] }, { keys.theirs[$0] })
    }
    let merged = matched.parts.map { part in
      logItem(
        Three(
          base: part.base.map { items.base[$0] }, ours: part.ours.map { items.ours[$0] },
          theirs: part.theirs.map { items.theirs[$0] }))
    }
    let order = SequenceMerge.merge(
      matched.orders, survivors: Set(merged.indices.filter { !merged[$0].isEmpty }),
      insertions: .byTime(latestFirst: Self.runsDownward(items)),
      stamp: { merged[$0].first?.stamp }, text: { merged[$0].text })
    let content = order.flatMap { merged[$0] }
    if content.isEmpty { return [] }
    return drawers.line(\.opening) + content + drawers.line(\.closing)
  }

  /// Returns the item in the result; nothing if it was deleted.
  private mutating func logItem(_ item: Three<LogItem?>) -> [Piece] {
    guard let ours = item.ours, let theirs = item.theirs else {
      guard let side = item.ours ?? item.theirs else { return [] }
      let isUntouched = item.base.map { $0.meaning == side.meaning } ?? false
      return isUntouched ? [] : Piece.lines(side.lines)
    }
    let lines = item.map { $0.map { Array($0.lines) } ?? [] }
    if ours.isClock, theirs.isClock { return clock(item, ours, theirs, lines) }
    let isOpposed = [ours, theirs].contains { resolved?.isOpposed($0.meaning) ?? false }
    if !isOpposed, let merged = TextMerge.prose(lines, byWords: options.mergesWords) { return Piece.lines(merged) }
    record(FieldConflict(bothStand: ours.meaning, theirs.meaning, "item".utf8))
    let sides = precedes(theirs.meaning, ours.meaning) ? [theirs, ours] : [ours, theirs]
    return [.disputed(shown: sides.flatMap(\.lines), lines)]
  }

  /// Merges clock lines: one with an end replaces the running one; two different ends are a conflict.
  private mutating func clock(_ item: Three<LogItem?>, _ ours: LogItem, _ theirs: LogItem, _ lines: Three<[Bytes]>)
    -> [Piece]
  {
    if let settled = TextMerge.settled(lines, key: \.collapsed) { return Piece.lines(settled) }
    if ours.isClosed != theirs.isClosed { return Piece.lines(ours.isClosed ? ours.lines : theirs.lines) }
    let sides = [ours, theirs].sorted { precedes($0.meaning, $1.meaning) }
    record(FieldConflict(.body, "clock".utf8, standing: sides[0].meaning, other: sides[1].meaning))
    return [.disputed(shown: Array(sides[0].lines), lines)]
  }

  /// Matches items by their first lines; several may have been written in one minute.
  private static func pairs(
    _ keys: (base: [[UInt8]], side: [[UInt8]]), _ meanings: (base: [[UInt8]], side: [[UInt8]])
  ) -> PartMatching {
    var matching = PartMatching(keys: keys, meanings: meanings)
    matching.pairEqual({ meanings.base[$0] }, { meanings.side[$0] })
    matching.pairEqual({ keys.base[$0] }, { keys.side[$0] })
    return matching
  }

  /// Returns true if the latest item comes first, as Org writes logs by default.
  private static func runsDownward(_ items: Three<[LogItem]>) -> Bool {
    let versions = items.base.count >= 2 ? [items.base] : items.sides.filter { $0.count >= 2 }
    return versions.isEmpty || !versions.allSatisfy(runsUpward)
  }

  private static func runsUpward(_ items: [LogItem]) -> Bool {
    let moments = items.compactMap { $0.stamp.flatMap { OrgTimestamp($0)?.moment } }
    return zip(moments, moments.dropFirst()).contains { $0 < $1 }
  }
}

extension Three<LogLines> {
  fileprivate func line(_ part: (LogLines) -> Bytes?) -> [Piece] {
    let lines = map(part)
    return lines.all.allSatisfy { $0 == nil } ? [] : [.line(lines.layout)]
  }
}

extension LogItem {
  /// The key that identifies an item in two versions: the start of a clock line, otherwise the first line.
  fileprivate var key: [UInt8] {
    guard let first = lines.first else { return [] }
    return isClock ? Array("CLOCK:".utf8) + (stamp ?? []) : first.collapsed
  }

  fileprivate var meaning: [UInt8] { Array(lines.map(\.collapsed).joined(separator: [.space])) }
}

extension Piece {
  /// The time of a log item's line.
  fileprivate var stamp: OrgTimestamp? {
    LogItem(lines: Lines(shown)).stamp.flatMap { OrgTimestamp($0) }
  }
}

private func < (left: [Int], right: [Int]) -> Bool { left.lexicographicallyPrecedes(right) }
