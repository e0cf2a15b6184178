/// The columns and rows that formulas refer to by number.
struct TableReferences {
  private let hasColumns: Bool
  /// The highest number of a row; 0 for none.
  private let lastRow: Int

  init(_ formulas: [Bytes]) {
    hasColumns = formulas.contains { !Self.numbers(behind: UInt8(ascii: "$"), in: $0).isEmpty }
    lastRow = formulas.flatMap { Self.numbers(behind: UInt8(ascii: "@"), in: $0) }.max() ?? 0
  }

  /// Returns true if a column or row that the formulas may refer to has another number in a result.
  func areShifted(from table: [TableRow], to result: [TableRow]) -> Bool {
    let (rows, others) = (table.compactMap(\.cells), result.compactMap(\.cells))
    if hasColumns, Self.areColumnsShifted(from: rows, to: others) { return true }
    if lastRow == 0 { return false }
    let partners = EntryMerge.rowPairs(rows.map { .cells($0) }, others.map { .cells($0) }).ofBase
    return partners.prefix(lastRow).enumerated().contains { $1 != $0 }
  }

  private static func areColumnsShifted(from rows: [[Bytes]], to others: [[Bytes]]) -> Bool {
    let counts = (rows.map(\.count).max() ?? 0, others.map(\.count).max() ?? 0)
    guard let heading = rows.first, let other = others.first, counts.0 <= counts.1 else { return true }
    if counts.0 < counts.1 { return !other.starts(with: heading) }
    return areExchanged(heading.map { [$0] }, other.map { [$0] })
      || areExchanged(columns(rows, counts.0), columns(others, counts.0))
  }

  /// Returns true if one column has the content of another, which changed as well.
  private static func areExchanged(_ columns: [[Bytes]], _ others: [[Bytes]]) -> Bool {
    zip(columns, others).contains { column, other in
      guard column != other, !column.allSatisfy(\.isEmpty) else { return false }
      return others.indices.contains { others[$0] == column && $0 < columns.count && columns[$0] != column }
    }
  }

  private static func columns(_ rows: [[Bytes]], _ count: Int) -> [[Bytes]] {
    (0..<count).map { column in
      rows.map { column < $0.count ? $0[column] : [] }.sorted { precedes($0, $1) }
    }
  }

  private static func numbers(behind sign: UInt8, in formula: Bytes) -> [Int] {
    formula.indices.filter { formula[$0] == sign }.compactMap { place in
      Int(formula[(place + 1)...].prefix(6).prefix { $0.isDigit }.string)
    }
  }
}
