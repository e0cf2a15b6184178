/// One line of a table.
enum TableRow: Equatable {
  case cells([Bytes])
  case rule
  case formula(Bytes)

  init(_ line: Bytes) {
    let content = line.trimmed
    guard content.first == UInt8(ascii: "|") else {
      self = .formula(line)
      return
    }
    if content.dropFirst().first == UInt8(ascii: "-") {
      self = .rule
      return
    }
    var cells = content.dropFirst().split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    // The bar at the end closes the last cell and opens none.
    if cells.count > 1, cells.last?.isBlank ?? false { cells.removeLast() }
    self = .cells(cells.map(\.trimmed))
  }

  var cells: [Bytes]? {
    switch self {
    case .cells(let cells): cells
    case .rule, .formula: nil
    }
  }
}
