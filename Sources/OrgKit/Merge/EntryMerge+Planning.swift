extension EntryMerge {
  mutating func planning() -> [Piece] {
    let lines = parts.map(\.section.planning)
    if lines.all.contains(where: { $0 != nil && $0?.items == nil }) { return opaquePlanning(lines) }
    let before = conflicts.count
    let merged = Planning.Kind.allCases.compactMap { kind in
      stamp(kind, lines.map { $0?[kind] }).map { (kind: kind, stamp: $0) }
    }
    guard !merged.isEmpty else { return [] }
    let stamps = Dictionary(uniqueKeysWithValues: merged.map { ($0.kind, $0.stamp) })
    let line = planningLine(stamps, lines)
    if conflicts.count == before { return [.line(line)] }
    let disputed = Planning.Kind.allCases.filter { kind in
      kind != .closed && lines.map { $0?[kind] }.settled == nil
    }
    let variants = lines.map { version in
      var stamps = stamps
      for kind in disputed { stamps[kind] = version?[kind] }
      return stamps
    }
    return [.disputed(shown: [line], variants.map { $0.isEmpty ? [] : [planningLine($0, lines)] })]
  }

  private mutating func stamp(_ kind: Planning.Kind, _ stamps: Three<Bytes?>) -> Bytes? {
    if let settled = stamps.settled { return settled }
    let sides = stamps.sides.sorted { earlierFirst($0, $1) }
    switch kind {
    case .closed:
      record(.derived, "closed", kept: sides[0], dropped: sides[1])
    case .deadline, .scheduled:
      let name = kind == .deadline ? "deadline" : "scheduled"
      record(
        FieldConflict(.planning, name.utf8, standing: sides[0].map { Array($0) }, other: sides[1].map { Array($0) }))
    }
    return sides[0]
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
