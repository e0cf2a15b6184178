/// The columns of a table: matches those that a side added, and aligns the output.
enum TableColumns {
  /// Returns the rows of all versions with the columns that either side added; nil if columns cannot be matched.
  static func widened(_ rows: Three<[TableRow]>) -> Three<[TableRow]>? {
    let counts = rows.map { $0.compactMap { $0.cells?.count }.max() ?? 0 }
    if counts.ours == counts.theirs, counts.base == counts.ours || rows.base.isEmpty { return rows }
    guard let base = heading(rows.base), let ours = heading(rows.ours), let theirs = heading(rows.theirs),
      let oursAdded = additions(base, ours), let theirsAdded = additions(base, theirs)
    else { return nil }
    // For every gap of the base, our columns, then those of theirs that ours lacks.
    var plan: [(base: Int?, ours: Int?, theirs: Int?)] = []
    for column in 0...base.count {
      var new: [(name: Bytes, ours: Int?, theirs: Int?)] = oursAdded[column].map { (ours[$0], $0, nil) }
      for place in theirsAdded[column] {
        if let same = new.firstIndex(where: { $0.name == theirs[place] && $0.theirs == nil }) {
          new[same].theirs = place
        } else {
          new.append((theirs[place], nil, place))
        }
      }
      plan += new.sorted { precedes($0.name, $1.name) }.map { (nil, $0.ours, $0.theirs) }
      if column < base.count { plan.append((column, place(column, oursAdded), place(column, theirsAdded))) }
    }
    return Three(
      base: widen(rows.base, plan.map(\.base)), ours: widen(rows.ours, plan.map(\.ours)),
      theirs: widen(rows.theirs, plan.map(\.theirs)))
  }

  private static func heading(_ rows: [TableRow]) -> [Bytes]? { rows.lazy.compactMap(\.cells).first }

  /// Returns the columns that a side added before each column of the base, and after the last; nil if one is missing.
  private static func additions(_ base: [Bytes], _ side: [Bytes]) -> [[Int]]? {
    var added: [[Int]] = []
    var next = 0
    for cell in base {
      guard let place = side[next...].firstIndex(of: cell) else { return nil }
      added.append(Array(next..<place))
      next = place + 1
    }
    return added + [Array(next..<side.count)]
  }

  /// Returns the index of a base column on a side.
  private static func place(_ column: Int, _ added: [[Int]]) -> Int {
    column + added[...column].reduce(0) { $0 + $1.count }
  }

  private static func widen(_ rows: [TableRow], _ plan: [Int?]) -> [TableRow] {
    rows.map { row in
      guard let cells = row.cells else { return row }
      return .cells(plan.map { place in place.flatMap { $0 < cells.count ? cells[$0] : nil } ?? [] })
    }
  }
}

extension TableColumns {
  /// Returns the rows in Org's layout: columns as wide as the widest cell, numbers right-aligned.
  static func aligned(_ rows: [TableRow], indentation: Bytes) -> [Bytes] {
    let cells = rows.compactMap(\.cells)
    let count = max(1, cells.map(\.count).max() ?? 1)
    let columns = (0..<count).map { column in
      Column(cells.map { column < $0.count ? $0[column] : [] })
    }
    return rows.map { row in
      switch row {
      case .formula(let line): line
      case .rule: line(columns.map(\.rule), between: "+", indentation, padding: "")
      case .cells(let cells):
        line(
          columns.enumerated().map { $1.padded($0 < cells.count ? cells[$0] : []) }, between: "|", indentation,
          padding: " ")
      }
    }
  }

  private static func line(_ cells: [[UInt8]], between: String, _ indentation: Bytes, padding: String) -> Bytes {
    let separator = Array("\(padding)\(between)\(padding)".utf8)
    return (Array(indentation) + "|\(padding)".utf8 + cells.joined(separator: separator) + "\(padding)|".utf8)[...]
  }

  private struct Column {
    let width: Int
    let isNumeric: Bool

    init(_ cells: [Bytes]) {
      width = max(1, cells.map { cellWidth($0) }.max() ?? 1)
      let filled = cells.filter { !$0.isEmpty }
      isNumeric = !filled.isEmpty && 2 * filled.count(where: isNumber) >= filled.count
    }

    var rule: [UInt8] { Array(repeating: UInt8(ascii: "-"), count: width + 2) }

    func padded(_ cell: Bytes) -> [UInt8] {
      let padding = Array(repeating: UInt8.space, count: width - cellWidth(cell))
      return isNumeric ? padding + cell : cell + padding
    }
  }

  // Org's numbers: sign, digits with points, commas, exponents, a percent sign; hexadecimal; or nothing.
  private static func isNumber(_ cell: Bytes) -> Bool {
    guard cell.contains(where: \.isDigit) else { return false }
    let others = Set("<>=-+.,:eE%xabcdfABCDF^/".utf8)
    let first = cell.first { !Set("<>=-+.".utf8).contains($0) }
    return cell.allSatisfy { $0.isDigit || others.contains($0) } && (first?.isDigit ?? false)
  }
}
