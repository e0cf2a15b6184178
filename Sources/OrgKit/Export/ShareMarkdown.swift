/// Markdown as GitHub reads it, with its tables, task lists and struck text.
struct ShareMarkdown: ShareWriter {
  var separator: String { "\n\n" }

  func heading(_ title: [InlineText], level: Int) -> String {
    String(repeating: "#", count: min(level, 6)) + " " + inline(title)
  }

  func block(_ block: SharedBlock) -> String {
    switch block {
    case .paragraph(let lines): lines.map { Self.guarded(inline(InlineText.parts(of: $0))) }.joined(separator: "\n")
    case .list(let items): lines(of: items, "").joined(separator: "\n")
    case .table(let rows, _): table(rows)
    case .code(let lines, let language): Self.code(lines, language)
    case .quote(let blocks):
      blocks.map(self.block).joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? ">" : "> " + $0 }.joined(separator: "\n")
    case .rule: "---"
    }
  }

  /// The fence is longer than every run of backticks in the code.
  private static func code(_ lines: [String], _ language: String) -> String {
    let runs = lines.map { $0.trimmedBlanks.prefix { $0 == "`" }.count }
    let fence = String(repeating: "`", count: max(3, (runs.max() ?? 0) + 1))
    return ([fence + language] + lines + [fence]).joined(separator: "\n")
  }

  private func inline(_ parts: [InlineText]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): Self.escaped(text)
      case .code(let text): text.contains("`") ? "`` \(text) ``" : "`\(text)`"
      case .link(let target, let description):
        description.isEmpty && target.contains("://")
          ? "<\(target)>"
          : "[\(description.isEmpty ? Self.escaped(target) : inline(description))](\(Self.address(target)))"
      case .styled(.bold, let parts): "**\(inline(parts))**"
      case .styled(.italic, let parts): "*\(inline(parts))*"
      case .styled(.underlined, let parts): inline(parts)
      case .styled(.struck, let parts): "~~\(inline(parts))~~"
      }
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\`*_[]<>|~".contains(character) { result.append("\\") }
      result.append(character)
    }
  }

  /// A line that would begin a heading, an item or a rule begins with a backslash.
  private static func guarded(_ line: String) -> String {
    let first = line.first.map { "#+-=".contains($0) } ?? false
    let digits = line.prefix { $0.isNumber }
    if first { return "\\" + line }
    guard !digits.isEmpty, let next = line[digits.endIndex...].first, ".)".contains(next) else { return line }
    return "\(digits)\\\(line[digits.endIndex...])"
  }

  private static func address(_ target: String) -> String {
    target.contains(where: { " ()<>".contains($0) }) ? "<\(target.filter { !"<>".contains($0) })>" : target
  }

  private func lines(of items: [SharedBlock.Item], _ margin: String) -> [String] {
    items.flatMap { item in
      let bullet = item.number.map { "\($0). " } ?? "- "
      let box = item.isTicked.map { $0 ? "[x] " : "[ ] " } ?? ""
      return [margin + bullet + box + inline(InlineText.parts(of: item.text))]
        + lines(of: item.children, margin + String(repeating: " ", count: bullet.count))
    }
  }

  /// A table of Markdown always has a heading.
  private func table(_ rows: [[String]]) -> String {
    let count = rows.map(\.count).max() ?? 0
    let lines = rows.map { row in
      "| "
        + (0..<count).map { $0 < row.count ? inline(InlineText.parts(of: row[$0])) : "" }.joined(separator: " | ")
        + " |"
    }
    let rule = "|" + String(repeating: " --- |", count: count)
    return ([lines.first ?? "", rule] + lines.dropFirst()).joined(separator: "\n")
  }
}
