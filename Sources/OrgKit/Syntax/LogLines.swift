/// The lines of a log: the opening and closing lines of its drawer, if it has one, and the items.
struct LogLines {
  private(set) var opening: Bytes?
  private(set) var items: Lines
  private(set) var closing: Bytes?

  init(_ lines: Lines) {
    items = lines
    if let first = lines.first, let last = lines.last, BlockScanner.drawerName(first) != nil, lines.count > 1 {
      (opening, closing) = (first, last)
      items = lines.dropFirst().dropLast()
    }
  }
}
