extension OrgBuffer {
  /// Returns the rows of the table at a line.
  func tableRows(at position: Int) -> Range<Int> {
    var start = lineStart(position)
    while start > 0, line(start - 1).firstNonBlank == UInt8(ascii: "|") { start = lineStart(start - 1) }
    var end = lineStart(position)
    while end < count, line(end).firstNonBlank == UInt8(ascii: "|") { end = nextLine(end) }
    return start..<end
  }
}

extension OrgEditor {
  /// Aligns the columns of the table at a line.
  mutating func alignTable(at position: Int) {
    let range = buffer.tableRows(at: position)
    guard !range.isEmpty else { return }
    let rows = buffer.text[range].lines.map(\.string)
    buffer.replace(range, with: TableText.aligned(rows).map { $0 + "\n" }.joined())
  }
}

/// Tables as Org aligns them.
enum TableText {
  /// Returns the rows with columns of equal width; columns of mostly numbers are aligned to the right.
  static func aligned(_ rows: [String]) -> [String] {
    let indentation = rows.first.map { String($0.prefix { $0 == " " || $0 == "\t" }) } ?? ""
    let cells = rows.map { isRule($0) ? nil : self.cells($0) }
    let count = cells.compactMap { $0?.count }.max() ?? 1
    let columns = (0..<count).map { column in
      Column(cells.compactMap { $0 }.map { column < $0.count ? $0[column] : "" })
    }
    return cells.map { row in
      guard let row else {
        return indentation + "|" + columns.map { String(repeating: "-", count: $0.width + 2) }.joined(separator: "+")
          + "|"
      }
      let padded = columns.enumerated().map { index, column in column.padded(index < row.count ? row[index] : "") }
      return indentation + "| " + padded.joined(separator: " | ") + " |"
    }
  }

  private static func isRule(_ row: String) -> Bool { row.drop { $0 == " " || $0 == "\t" }.hasPrefix("|-") }

  private static func cells(_ row: String) -> [String] {
    var content = row.trimmingSpaces.dropFirst()
    if content.last == "|" { content.removeLast() }
    return content.split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmingSpaces }
  }

  private struct Column {
    let width: Int
    private let alignment: Character

    init(_ cells: [String]) {
      width = max(1, cells.map { displayWidth($0.utf8) }.max() ?? 1)
      let filled = cells.filter { !$0.isEmpty }
      let cookie = filled.lazy.compactMap { $0.wholeMatch(of: /<([lrc])([0-9]+)?>/) }.first
      let numbers = filled.filter(Self.isNumber).count
      alignment = cookie.flatMap { $0.1.first } ?? (2 * numbers >= filled.count ? "r" : "l")
    }

    private static func isNumber(_ cell: String) -> Bool {
      cell.wholeMatch(of: /[<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][0-9a-fA-F.]+|nan|[-+u]?inf/) != nil
    }

    func padded(_ cell: String) -> String {
      let free = width - displayWidth(cell.utf8)
      switch alignment {
      case "r": return String(repeating: " ", count: free) + cell
      case "c": return String(repeating: " ", count: free / 2) + cell + String(repeating: " ", count: free - free / 2)
      default: return cell + String(repeating: " ", count: free)
      }
    }
  }
}
