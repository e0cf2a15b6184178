/// The text of rows as Org's agenda shows them: category, time, leading text, headline, tags at the right edge.
public enum AgendaLine {
  /// The width of a line.
  public static let width = 80
  /// The column of a habit's graph (org-habit-graph-column).
  static let graphColumn = 40

  /// Returns the line of a row without trailing blanks.
  public static func text(of row: OrgAgendaRow) -> String {
    guard row.isEntry || row.kind == .grid else { return row.heading.trimmedRightBlanks }
    let hasTime = row.kind != .tagsMatch && row.kind != .todo && row.kind != .search
    let extra = row.extra.isEmpty ? "" : row.extra + " "
    var line = prefix(of: row, hasTime: hasTime) + extra + row.heading
    if let graph = row.habit { line = line.overlaid(graph.marks, at: graphColumn) }
    return withTags(line, row).trimmedRightBlanks
  }

  private static func prefix(of row: OrgAgendaRow, hasTime: Bool) -> String {
    let category = row.category.isEmpty ? "" : row.category + ":"
    let time = hasTime ? clock(row) : ""
    return "  " + category.padded(to: 12) + (time.isEmpty ? "" : time.padded(to: 12))
  }

  private static func clock(_ row: OrgAgendaRow) -> String {
    guard let time = row.shownTime else { return "" }
    let start = time.inAgenda
    let padded = String(repeating: " ", count: max(0, 5 - start.count)) + start
    return padded + (row.endTime.map { "-\($0.inAgenda)" } ?? "......")
  }

  private static func withTags(_ line: String, _ row: OrgAgendaRow) -> String {
    guard !row.tags.isEmpty else { return line }
    let inherited = row.tags.prefix(row.inheritedTagCount)
    let own = row.tags.dropFirst(row.inheritedTagCount)
    let text =
      inherited.isEmpty
      ? ":\(own.joined(separator: ":")):"
      : ":\(inherited.joined(separator: ":"))::" + (own.isEmpty ? "" : "\(own.joined(separator: ":")):")
    let head = line.trimmedRightBlanks
    return head + String(repeating: " ", count: max(1, width - text.count - head.shownWidth)) + text
  }
}

extension String {
  /// The text without blanks at its end.
  var trimmedRightBlanks: String {
    // A character that ends with a visible character of ASCII is not a blank.
    if let last = utf8.last, last > 0x20, last < 0x7F { return self }
    var text = self[...]
    while text.last?.isWhitespace ?? false { text = text.dropLast() }
    return String(text)
  }

  /// The width of the text on a screen, where links show only their descriptions.
  fileprivate var shownWidth: Int {
    guard utf8.contains(UInt8(ascii: "[")) else { return displayWidth(utf8) }
    var (width, rest) = (0, self[...])
    while let open = rest.range(behind: "[["), let end = rest[open...].range(behind: "]]") {
      let link = String(rest[open..<rest.index(end, offsetBy: -2)]).parts(between: "][")
      width += displayWidth(rest[..<rest.index(open, offsetBy: -2)].utf8)
      width += displayWidth((link.last ?? "").utf8)
      rest = rest[end...]
    }
    return width + displayWidth(rest.utf8)
  }

  /// The text with other characters from a column on.
  fileprivate func overlaid(_ marks: String, at column: Int) -> String {
    let free = column - shownWidth
    if free >= 0 { return self + String(repeating: " ", count: free) + marks }
    return prefix(column) + marks + dropFirst(column + marks.count)
  }
}
