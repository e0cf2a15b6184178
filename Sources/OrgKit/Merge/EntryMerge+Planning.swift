extension EntryMerge {
  /// Merges the planning line below a merged headline.
  mutating func planning(below headline: MergedHeadline?) -> [Piece] {
    let lines = parts.map(\.section.planning)
    if lines.all.contains(where: { $0 != nil && $0?.items == nil }) { return opaquePlanning(lines) }
    let before = conflicts.count
    var stamps: [Planning.Kind: Bytes] = [:]
    for kind in Planning.Kind.allCases { stamps[kind] = stamp(kind, lines.map { $0?[kind] }) }
    stamps[.closed] = closed(stamps[.closed], lines.map { $0?[.closed] }, below: headline)
    let line = stamps.isEmpty ? [] : [planningLine(stamps, lines)]
    let isStateDisputed = conflicts.contains { $0.field == .keyword } && lines.ours?[.closed] != lines.theirs?[.closed]
    if conflicts.count == before, !isStateDisputed { return Piece.lines(line) }
    let disputed = Planning.Kind.allCases.filter { kind in
      let stamps = lines.map { $0?[kind] }
      return kind == .closed
        ? isStateDisputed : settled(stamps, kind.field.utf8) == nil && !areRepeated(stamps)
    }
    let variants = lines.map { version in
      var stamps = stamps
      for kind in disputed { stamps[kind] = version?[kind] }
      return stamps
    }
    return [.disputed(shown: line, variants.map { $0.isEmpty ? [] : [planningLine($0, lines)] })]
  }

  /// Returns the closing time that fits the merged state: none if the entry is open because one side reopened it, and that of
  /// the side that closed it otherwise.
  private mutating func closed(_ merged: Bytes?, _ stamps: Three<Bytes?>, below headline: MergedHeadline?) -> Bytes? {
    guard let headline else { return merged }
    let isDone = headline.keyword.map(keywords.isDone) ?? false
    let agreeing = parts.zip(stamps).sides.filter { part, _ in
      (part.headline?.keyword.map(keywords.isDone) ?? false) == isDone
    }
    guard agreeing.count == 1 else { return merged }
    let own = agreeing[0].1
    if isDone { return merged ?? own }
    if own != nil { return merged }
    if let merged { record(.derived, "closed", kept: nil, dropped: (Array("CLOSED: ".utf8) + merged)[...]) }
    return nil
  }

  private mutating func stamp(_ kind: Planning.Kind, _ stamps: Three<Bytes?>) -> Bytes? {
    if let settled = settled(stamps, kind.field.utf8) { return settled }
    let sides = stamps.sides.sorted { earlierFirst($0, $1) }
    if kind != .closed, areRepeated(stamps) {
      record(.derived, kind.field, kept: sides[1], dropped: sides[0])
      return sides[1]
    }
    switch kind {
    case .closed:
      record(.derived, "closed", kept: sides[0], dropped: sides[1])
    case .deadline, .scheduled:
      record(
        FieldConflict(
          .planning, kind.field.utf8, standing: sides[0].map { Array($0) }, other: sides[1].map { Array($0) }))
    }
    return sides[0]
  }

  /// Returns true if both sides completed a repeated task, so that Org moved its date: the later date is that of the later
  /// LAST_REPEAT.
  private func areRepeated(_ stamps: Three<Bytes?>) -> Bool {
    let repeaters = stamps.map { $0.flatMap { OrgTimestamp($0)?.repeater } }
    guard let repeater = repeaters.base, repeaters.sides.allSatisfy({ $0 == repeater }) else { return false }
    let last = parts.map { $0.section.drawer?["last_repeat"].map { Array($0) } }
    return last.sides.allSatisfy { $0 != nil && $0 != last.base }
  }

  private func earlierFirst(_ one: Bytes?, _ other: Bytes?) -> Bool {
    guard let one else { return false }
    guard let other else { return true }
    let moments = [one, other].map { OrgTimestamp($0)?.moment ?? [] }
    return moments[0] == moments[1] ? precedes(one, other) : moments[0].lexicographicallyPrecedes(moments[1])
  }

  /// Returns a side's line if it has the same dates, otherwise the items in their order, with new ones in Org's order.
  private func planningLine(_ stamps: [Planning.Kind: Bytes], _ lines: Three<Planning?>) -> Bytes {
    let fitting = lines.map { line in line.flatMap { Self.stamps($0) == stamps ? $0.line : nil } }
    if fitting.ours != nil || fitting.theirs != nil { return fitting.layout }
    let order = kinds(stamps, lines.map { $0?.items?.map(\.kind) ?? [] })
    let items = order.map { Array("\($0.word) ".utf8) + (stamps[$0] ?? []) }
    let indentation = lines.map { $0?.line.indentation }
    return (Array(indentation.layout) + Array(items.joined(separator: [.space])))[...]
  }

  private static func stamps(_ line: Planning) -> [Planning.Kind: Bytes] {
    Dictionary(uniqueKeysWithValues: (line.items ?? []).map { ($0.kind, $0.timestamp) })
  }

  private func kinds(_ stamps: [Planning.Kind: Bytes], _ orders: Three<[Planning.Kind]>) -> [Planning.Kind] {
    let numbers = orders.map { $0.map(\.rawValue) }
    let order = SequenceMerge.merge(
      numbers, survivors: Set(stamps.keys.map(\.rawValue)), insertions: .sorted, text: { [UInt8($0)] })
    return order.compactMap { Planning.Kind(rawValue: $0) }
  }

  /// Merges a line with anything except the three dates as one value.
  private mutating func opaquePlanning(_ lines: Three<Planning?>) -> [Piece] {
    let values = lines.map { $0?.line }
    if let settled = values.settled { return settled.map { [.line($0)] } ?? [] }
    return [Piece.blocks(values.map { $0.map { [$0] } ?? [] })]
  }
}

extension Planning.Kind {
  /// The name in conflicts.
  fileprivate var field: String {
    switch self {
    case .closed: "closed"
    case .deadline: "deadline"
    case .scheduled: "scheduled"
    }
  }
}
