extension EntryMerge {
  /// Merges a table cell by cell; nil if the columns of the versions cannot be matched.
  mutating func table(_ lines: Three<[Bytes]>) -> [Piece]? {
    let affiliated = lines.map { Array($0.prefix { $0.trimmedLeft.first != UInt8(ascii: "|") }) }
    guard let head = affiliated.settled else { return nil }
    let parsed = lines.zip(affiliated).map { $0.dropFirst($1.count).map { TableRow($0) } }
    guard let rows = TableColumns.widened(parsed) else { return nil }
    let meanings = rows.map { $0.map(\.meaning) }
    let matched = MatchedParts(
      Self.pairs(rows.base, rows.ours), Self.pairs(rows.base, rows.theirs), meanings: meanings
    ) {
      $0.pairEqual({ meanings.ours[$0] }, { meanings.theirs[$0] })
    }
    let merged = matched.parts.map { part in
      row(
        Three(
          base: part.base.map { rows.base[$0] }, ours: part.ours.map { rows.ours[$0] },
          theirs: part.theirs.map { rows.theirs[$0] }))
    }
    let order = SequenceMerge.merge(
      matched.orders, survivors: Set(merged.indices.filter { !merged[$0].isEmpty }),
      text: { merged[$0].flatMap(\.row.meaning) })
    return Piece.lines(head) + printed(order.flatMap { merged[$0] }, lines, affiliated)
  }

  /// A row of the result; one of two variants if `variants` tells them.
  private struct MergedRow {
    var row: TableRow
    var variants: Three<TableRow?>?
  }

  private mutating func row(_ row: Three<TableRow?>) -> [MergedRow] {
    guard let ours = row.ours, let theirs = row.theirs else {
      guard let side = row.ours ?? row.theirs else { return [] }
      guard let base = row.base, base != side else { return row.base == nil ? [MergedRow(row: side)] : [] }
      record(FieldConflict(.body, "row".utf8, standing: side.meaning, other: nil))
      return [MergedRow(row: side, variants: row)]
    }
    if let settled = row.settled.flatMap(\.self) { return [MergedRow(row: settled)] }
    if let cells = cells(row.map { $0?.cells ?? [] }) { return [MergedRow(row: .cells(cells))] }
    record(FieldConflict(bothStand: ours.meaning, theirs.meaning, "row".utf8))
    let sides = precedes(theirs.meaning, ours.meaning) ? [theirs, ours] : [ours, theirs]
    return [MergedRow(row: sides[0], variants: row), MergedRow(row: sides[1], variants: row)]
  }

  private func cells(_ cells: Three<[Bytes]>) -> [Bytes]? {
    let count = cells.all.map(\.count).max() ?? 0
    var merged: [Bytes] = []
    for column in 0..<count {
      guard let cell = cells.map({ column < $0.count ? $0[column] : [] }).settled else { return nil }
      merged.append(cell)
    }
    return merged
  }

  /// A side's lines if it has just these rows, else the table as Org aligns it.
  private func printed(_ rows: [MergedRow], _ lines: Three<[Bytes]>, _ affiliated: Three<[Bytes]>) -> [Piece] {
    let result = rows.map(\.row)
    let tables = lines.zip(affiliated).map { Array($0.dropFirst($1.count)) }
    let fitting = tables.map { $0.map { TableRow($0) } == result ? $0 : nil }
    if let ours = fitting.ours ?? fitting.theirs, let theirs = fitting.theirs ?? fitting.ours {
      return Piece.lines(TextMerge.laidOut(Three(base: fitting.base, ours: ours, theirs: theirs)))
    }
    let indentation = tables.map { $0.first?.indentation }.layout
    let printed = TableColumns.aligned(result, indentation: indentation)
    return zip(rows, printed).map { row, line in
      guard let variants = row.variants else { return .line(line) }
      return .disputed(shown: [line], variants.map { $0.map { [$0.meaning[...]] } ?? [] })
    }
  }

  private static func pairs(_ base: [TableRow], _ side: [TableRow]) -> PartMatching {
    var matching = PartMatching(base.map(\.meaning), side.map(\.meaning))
    matching.pairAlike(
      from: 0.5, { (base[$0].cells, base[$0].words) }, { (side[$0].cells, side[$0].words) },
      likeness: {
        guard let cells = $0.0, let others = $1.0 else { return 0 }
        return $0.1.likeness(to: $1.1) + (cells.first == others.first ? 0.6 : 0)
      })
    return matching
  }
}

extension TableRow {
  /// The row without padding.
  var meaning: [UInt8] {
    switch self {
    case .rule: Array("|-".utf8)
    case .cells(let cells): Array("| ".utf8) + cells.joined(separator: Array(" | ".utf8)) + Array(" |".utf8)
    case .formula(let line): line.collapsed
    }
  }

  fileprivate var words: WordBag { WordBag(sampling: cells ?? []) }
}
