extension EntryMerge {
  /// Merges a table cell by cell; nil if the columns of the versions cannot be matched.
  mutating func table(_ lines: Three<[Bytes]>) -> [Piece]? {
    let affiliated = lines.map { Array($0.prefix { $0.trimmedLeft.first != UInt8(ascii: "|") }) }
    guard let head = affiliated.settled else { return nil }
    let tables = lines.zip(affiliated).map { Array($0.dropFirst($1.count)) }
    let parsed = tables.map { $0.filter { !$0.isFormulaLine }.map { TableRow($0) } }
    guard let rows = TableColumns.widened(parsed) else { return nil }
    let meanings = rows.map { $0.map(\.meaning) }
    let matched = MatchedParts(
      Self.rowPairs(rows.base, rows.ours), Self.rowPairs(rows.base, rows.theirs), meanings: meanings
    ) {
      $1.pairEqual(&$0, { meanings.ours[$0] }, { meanings.theirs[$0] })
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
    let result = order.flatMap { merged[$0] }
    let printed = printed(result, tables.map { $0.filter { !$0.isFormulaLine } })
    return Piece.lines(head) + printed
      + formulas(tables.map { $0.filter(\.isFormulaLine) }, of: parsed, in: result.map(\.row))
  }

  /// A row of the result; one of two variants if `variants` is set.
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

  /// Returns a side's lines if it has exactly these rows, otherwise the table as Org aligns it.
  private func printed(_ rows: [MergedRow], _ tables: Three<[Bytes]>) -> [Piece] {
    let result = rows.map(\.row)
    let fitting = tables.map { $0.map { TableRow($0) } == result ? $0 : nil }
    let printed: [Bytes]
    if let ours = fitting.ours ?? fitting.theirs, let theirs = fitting.theirs ?? fitting.ours {
      // If both sides changed the same lines, the layout of the others comes from the side that changed it.
      let base = tables.base.count == ours.count ? tables.base : fitting.base
      printed = TextMerge.laidOut(Three(base: base, ours: ours, theirs: theirs))
    } else {
      let aligned = TableColumns.aligned(result, indentation: tables.map { $0.first?.indentation }.layout)
      printed = isUnaligned(tables) ? written(result, tables, otherwise: aligned) : aligned
    }
    return zip(rows, printed).map { row, line in
      guard let variants = row.variants else { return .line(line) }
      return .disputed(shown: [line], variants.map { $0.map { [$0.meaning[...]] } ?? [] })
    }
  }

  /// Returns true if a side added rows to an aligned table without aligning it again.
  private func isUnaligned(_ tables: Three<[Bytes]>) -> Bool {
    let isAligned = tables.map { lines in
      TableColumns.aligned(lines.map { TableRow($0) }, indentation: lines.first?.indentation ?? []) == lines
    }
    return isAligned.base && isAligned.settled == false
  }

  /// Returns the lines of the rows in the sides; for a row that neither has, the line in `otherwise`.
  private func written(_ rows: [TableRow], _ tables: Three<[Bytes]>, otherwise: [Bytes]) -> [Bytes] {
    let lines = tables.map { lines in
      Dictionary(lines.map { (TableRow($0).meaning, $0) }) { first, _ in first }
    }
    return zip(rows, otherwise).map { row, line in
      let found = lines.map { $0[row.meaning] }
      return found.ours == nil && found.theirs == nil ? line : found.layout
    }
  }

  /// Matches the rows of two tables.
  static func rowPairs(_ base: [TableRow], _ side: [TableRow]) -> PartMatching {
    var matching = PartMatching(base.map(\.meaning), side.map(\.meaning))
    matching.pairAlike(
      from: 0.5, { (base[$0].cells, base[$0].words) }, { (side[$0].cells, side[$0].words) },
      likeness: {
        guard let cells = $0.0, let others = $1.0 else { return 0 }
        return $0.1.likeness(to: $1.1) + (cells.first == others.first ? 0.6 : 0)
      })
    // The only changed row between two others is the same row, however little of its cells is left.
    matching.pairNeighbours(
      { base[$0].cells?.count }, { side[$0].cells?.count }, { base[$0].cells != nil && side[$1].cells != nil })
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

// MARK: - Formulas

extension EntryMerge {
  /// Merges the `#+TBLFM:` lines below a table; formulas that a side changed are flagged if the other side's changes give its
  /// columns or rows other numbers.
  private mutating func formulas(_ lines: Three<[Bytes]>, of tables: Three<[TableRow]>, in result: [TableRow])
    -> [Piece]
  {
    let before = conflicts.count
    let merged = mergedFormulas(lines)
    let keys = lines.map { $0.map(\.collapsed) }
    guard conflicts.count == before, keys.ours != keys.theirs else { return merged }
    let isShifted = [Version.ours, .theirs].contains { side in
      keys[side] != keys.base && TableReferences(lines[side]).areShifted(from: tables[side], to: result)
    }
    return isShifted ? disputedFormulas(lines) : merged
  }

  /// Merges the lines formula by formula; formulas that both sides changed differently are flagged.
  private mutating func mergedFormulas(_ lines: Three<[Bytes]>) -> [Piece] {
    if let settled = TextMerge.settled(lines, key: \.collapsed) { return Piece.lines(settled) }
    let versions = lines.map { $0.count <= 1 ? Formulas($0.first) : nil }
    guard let base = versions.base, let ours = versions.ours, let theirs = versions.theirs else {
      return TextMerge.code(lines).map(Piece.lines) ?? disputedFormulas(lines)
    }
    let formulas = Three(base: base, ours: ours, theirs: theirs)
    let targets = Set(formulas.all.flatMap(\.order)).sorted { precedes($0, $1) }
    var merged: [Int: Bytes] = [:]
    for (number, target) in targets.enumerated() {
      guard let formula = formulas.map({ $0.formulas[target] }).settled else { return disputedFormulas(lines) }
      merged[number] = formula
    }
    let numbers = Dictionary(uniqueKeysWithValues: zip(targets, targets.indices))
    let order = SequenceMerge.merge(
      formulas.map { $0.order.compactMap { numbers[$0] } }, survivors: Set(merged.keys), insertions: .sorted,
      text: { targets[$0] })
    if order.isEmpty { return [] }
    let start = formulas.map(\.start).layout
    return [.line(start + Array(order.compactMap { merged[$0] }.joined(separator: Array("::".utf8))))]
  }

  /// Resolves a conflict of formulas: the smaller set stays; no formulas come last.
  private mutating func disputedFormulas(_ lines: Three<[Bytes]>) -> [Piece] {
    let sides = lines.sides.sorted { one, other in
      one.isEmpty || other.isEmpty ? !one.isEmpty : precedes(one.map { Array($0) }, other.map { Array($0) })
    }
    let values = sides.map { $0.isEmpty ? nil : Array($0.joined(separator: [.space])) }
    record(FieldConflict(.body, "formula".utf8, standing: values[0], other: values[1]))
    return [.disputed(shown: sides[0], lines)]
  }
}

/// The formulas of one line, by the field or column that they compute.
private struct Formulas {
  private(set) var start: Bytes = []
  private(set) var formulas: [[UInt8]: Bytes] = [:]
  private(set) var order: [[UInt8]] = []

  init() {}

  /// Returns nil if the line computes something twice.
  init?(_ line: Bytes?) {
    guard let line, let keyword = KeywordLine(line) else { return }
    start = line.start(before: keyword.value)
    var rest = keyword.value
    while !rest.isEmpty {
      let end = rest.indices.first { rest[$0...].starts(with: "::".utf8) } ?? rest.endIndex
      let formula = rest[..<end].trimmed
      let target = formula.prefix { $0 != UInt8(ascii: "=") }[...].collapsed
      guard formulas.updateValue(formula, forKey: target) == nil else { return nil }
      order.append(target)
      rest = rest[min(end + 2, rest.endIndex)...]
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var isFormulaLine: Bool { trimmedLeft.hasPrefix(ignoringCase: "#+tblfm:") }
}
