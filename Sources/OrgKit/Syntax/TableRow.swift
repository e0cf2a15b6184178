/// One line of a table.
enum TableRow: Equatable {
  case cells([Bytes])
  case rule
  case formula(Bytes)

  init(_ line: Bytes) {
    let content = line.trimmed
    guard content.first == Self.bar else {
      self = .formula(line)
      return
    }
    if content.dropFirst().first == UInt8(ascii: "-") {
      self = .rule
      return
    }
    var cells: [Bytes] = []
    var start = content.startIndex + 1
    while let end = content.firstIndex(of: Self.bar, from: start) {
      cells.append(content[start..<end].trimmed)
      start = end + 1
    }
    // The bar at the end closes the last cell and opens none.
    if start < content.endIndex || cells.isEmpty { cells.append(content[start...].trimmed) }
    self = .cells(cells)
  }

  private static let bar = UInt8(ascii: "|")

  var cells: [Bytes]? {
    switch self {
    case .cells(let cells): cells
    case .rule, .formula: nil
    }
  }
}
