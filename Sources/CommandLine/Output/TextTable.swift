/// Rows of columns for a terminal, whose widest column gives way if a row does not fit.
struct TextTable {
  let rows: [[String]]
  /// The column that is cut; the others stay whole.
  let flexible: Int

  /// The least width of the flexible column.
  private static let least = 10

  /// Returns the rows as lines of at most `width` characters; nil is any width.
  func lines(width: Int?) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in
      rows.map { $0.indices.contains(column) && column < $0.count - 1 ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var row = row
      if let width, row.indices.contains(flexible) {
        let others = row.indices.filter { $0 != flexible }
          .map { $0 == row.count - 1 ? row[$0].count : widths[$0] }.reduce(2 * (row.count - 1), +)
        let room = max(Self.least, width - others)
        row[flexible] = Self.cut(row[flexible], to: room)
        widths[flexible] = min(widths[flexible], room)
      }
      return row.enumerated().map { $0.offset == row.count - 1 ? $0.element : $0.element.padded(to: widths[$0.offset]) }
        .joined(separator: "  ")
    }
  }

  /// Returns the text, or its beginning and end with an ellipsis between them: both ends of a path matter.
  static func cut(_ text: String, to width: Int) -> String {
    guard text.count > width else { return text }
    let end = (width - 1) / 2
    return text.prefix(width - 1 - end) + "…" + text.suffix(end)
  }
}
