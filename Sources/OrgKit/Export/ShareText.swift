/// Plain text: markup stays as it is written, and a link has its target behind it.
struct ShareText: ShareWriter {
  var separator: String { "\n\n" }

  func heading(_ title: [InlineText], level: Int) -> String {
    let text = inline(title)
    let line: Character = level == 1 ? "=" : level == 2 ? "-" : "~"
    return text + "\n" + String(repeating: line, count: max(1, displayWidth(Array(text.utf8)[...])))
  }

  func block(_ block: SharedBlock) -> String {
    switch block {
    case .paragraph(let lines): lines.map { inline(InlineText.parts(of: $0)) }.joined(separator: "\n")
    case .list(let items): lines(of: items, "").joined(separator: "\n")
    case .table(let rows, let hasHeading): table(rows, hasHeading).joined(separator: "\n")
    case .code(let lines, _): lines.map { "    " + $0 }.joined(separator: "\n")
    case .quote(let blocks):
      blocks.map(self.block).joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
        .map { "  " + $0 }.joined(separator: "\n")
    case .rule: String(repeating: "-", count: 40)
    }
  }

  private func inline(_ parts: [InlineText]) -> String {
    parts.map { part in
      switch part {
      case .text(let text), .code(let text): text
      case .link(let target, let description):
        description.isEmpty ? target : "\(inline(description)) <\(target)>"
      case .styled(let style, let parts): "\(style.marker)\(inline(parts))\(style.marker)"
      }
    }.joined()
  }

  private func lines(of items: [SharedBlock.Item], _ margin: String) -> [String] {
    items.flatMap { item in
      let box = item.isTicked.map { $0 ? "[X] " : "[ ] " } ?? ""
      let bullet = item.number.map { "\($0). " } ?? "- "
      return [margin + bullet + box + inline(InlineText.parts(of: item.text))]
        + lines(of: item.children, margin + String(repeating: " ", count: bullet.count))
    }
  }

  /// The rows with a blank around each cell; columns of numbers are aligned to the right.
  private func table(_ rows: [[String]], _ hasHeading: Bool) -> [String] {
    let cells = rows.map { $0.map { inline(InlineText.parts(of: $0)) } }
    let columns = TextColumns(cells, hasHeading: hasHeading)
    var lines = cells.map(columns.line)
    if hasHeading { lines.insert(String(repeating: "-", count: columns.width), at: 1) }
    return lines
  }
}

/// The widths of the columns of a table.
private struct TextColumns {
  private let widths: [Int]
  private let isNumeric: [Bool]

  init(_ rows: [[String]], hasHeading: Bool) {
    let count = rows.map(\.count).max() ?? 0
    widths = (0..<count).map { column in
      rows.map { column < $0.count ? displayWidth(Array($0[column].utf8)[...]) : 0 }.max() ?? 0
    }
    isNumeric = (0..<count).map { column in
      let cells = rows.dropFirst(hasHeading ? 1 : 0).compactMap { column < $0.count ? $0[column] : nil }
      return cells.contains { !$0.isEmpty } && cells.allSatisfy { $0.isEmpty || Double($0) != nil }
    }
  }

  var width: Int { widths.reduce(0) { $0 + $1 + 2 } }

  func line(_ cells: [String]) -> String {
    widths.indices.map { column in
      let cell = column < cells.count ? cells[column] : ""
      let free = String(repeating: " ", count: widths[column] - displayWidth(Array(cell.utf8)[...]))
      return " " + (isNumeric[column] ? free + cell : cell + free) + " "
    }.joined()
  }
}

extension InlineText.Style {
  /// Org's marker.
  fileprivate var marker: String {
    switch self {
    case .bold: "*"
    case .italic: "/"
    case .underlined: "_"
    case .struck: "+"
    }
  }
}
