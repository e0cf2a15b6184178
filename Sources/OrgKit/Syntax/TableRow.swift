/// One line of a table.
enum TableRow: Equatable {
  case cells([Bytes])
  case rule
  case formula(Bytes)

  init(_ line: Bytes) {
    if let places = Self.cellPlaces(in: line) {
      self = .cells(places.map { line[$0] })
    } else {
      self = line.firstNonBlank == Self.bar ? .rule : .formula(line)
    }
  }

  /// Returns the ranges of the cells of a line, without padding; nil for a rule, and for a line that is not a row.
  static func cellPlaces(in line: Bytes) -> [Range<Int>]? {
    let bytes = line.span
    let count = bytes.endWithoutBlanks(from: 0, to: bytes.count)
    var start = bytes.firstNonBlank() + 1
    guard start <= count, bytes[start - 1] == bar, start == count || bytes[start] != UInt8(ascii: "-") else {
      return nil
    }
    var places: [Range<Int>] = []
    places.reserveCapacity(8)
    // The final bar closes the last cell and opens none.
    repeat {
      let end = bytes.first(bar, from: start, to: count)
      start = min(bytes.firstNonBlank(from: start), end)
      places.append((line.startIndex + start)..<(line.startIndex + bytes.endWithoutBlanks(from: start, to: end)))
      start = end + 1
    } while start < count
    return places
  }

  private static let bar = UInt8(ascii: "|")

  var cells: [Bytes]? {
    switch self {
    case .cells(let cells): cells
    case .rule, .formula: nil
    }
  }
}
