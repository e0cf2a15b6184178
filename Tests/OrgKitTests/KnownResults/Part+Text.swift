// Writes a tree of parts as Org.

extension Part {
  /// The layout of a document.
  struct Layout {
    /// Blank lines above a headline.
    var entryGap = 0
    /// Blank lines between blocks.
    var blockGap = 1
    /// Blank lines between items.
    var itemGap = 0
    /// True if derived text is omitted: numbers, counts, and the alignment of tables.
    var isPlain = false
  }

  /// The lines of a document.
  func text(_ layout: Layout) -> [String] {
    var lines = section(layout)
    for entry in parts where entry.kind == .entry { lines += entry.entryText(level: 1, layout, isFirst: lines.isEmpty) }
    return lines
  }

  private func entryText(level: Int, _ layout: Layout, isFirst: Bool) -> [String] {
    let tags = parts.first { $0.kind == .tags }?.parts.flatMap(\.words) ?? []
    let headline = [
      String(repeating: "*", count: level), state, priority.map { "[#\($0)]" }, words.joined(separator: " "),
      cookie(layout),
      tags.isEmpty ? nil : layout.isPlain ? tags.joined(separator: " ") : ":\(tags.joined(separator: ":")):",
    ].compactMap(\.self)
    var lines = Array(repeating: "", count: isFirst ? 0 : layout.entryGap) + [headline.joined(separator: " ")]
    lines += section(layout)
    for entry in parts where entry.kind == .entry { lines += entry.entryText(level: level + 1, layout, isFirst: false) }
    return lines
  }

  /// The number of finished tasks below an entry.
  private func cookie(_ layout: Layout) -> String? {
    guard hasCookie else { return nil }
    let tasks = parts.filter { $0.kind == .entry && $0.state != nil }
    return layout.isPlain ? "[/]" : "[\(tasks.count { $0.state == "DONE" })/\(tasks.count)]"
  }

  /// Dates, properties, and blocks with blank lines between them.
  private func section(_ layout: Layout) -> [String] {
    let dates = (parts.first { $0.kind == .planning }?.parts ?? []).map { $0.words.joined(separator: " ") }.sorted()
    let properties = parts.first { $0.kind == .properties }?.parts ?? []
    let lines = properties.map { ":\($0.words[0]): " + $0.words.dropFirst().joined(separator: " ") }
    return (dates.isEmpty ? [] : [dates.joined(separator: " ")])
      + (lines.isEmpty ? [] : [":PROPERTIES:"] + lines + [":END:"]) + blocks(layout)
  }

  private func blocks(_ layout: Layout) -> [String] {
    var lines: [String] = []
    for block in parts where block.isBlock {
      let text = block.blockText(layout)
      if text.isEmpty { continue }
      lines += (lines.isEmpty ? [] : Array(repeating: "", count: layout.blockGap)) + text
    }
    return lines
  }

  private func blockText(_ layout: Layout) -> [String] {
    let content = parts.map { $0.words.joined(separator: " ") }
    switch kind {
    case .paragraph: return content
    case .list, .numbered: return items(layout)
    case .table: return tableText(layout)
    case .source: return ["#+begin_src sh"] + content + ["#+end_src"]
    case .example: return ["#+begin_example"] + content + ["#+end_example"]
    case .verse: return ["#+begin_verse"] + content + ["#+end_verse"]
    case .fixedWidth: return content.map { ": \($0)" }
    case .comment: return content.map { "# \($0)" }
    case .quote: return ["#+begin_quote"] + blocks(layout) + ["#+end_quote"]
    case .special: return ["#+begin_aside"] + blocks(layout) + ["#+end_aside"]
    case .drawer: return [":DETAILS:"] + blocks(layout) + [":END:"]
    case .footnote: return ["[fn:\(words[0])] \(words.dropFirst().joined(separator: " "))"] + content
    case .keyword: return ["#+\(words[0]): \(words.dropFirst().joined(separator: " "))"]
    case .inlineTask:
      return ["*************** \(words.joined(separator: " "))"] + blocks(layout) + ["*************** END"]
    case .logbook: return content.isEmpty ? [] : [":LOGBOOK:"] + content.sorted(by: >) + [":END:"]
    default: return []
    }
  }

  private func items(_ layout: Layout) -> [String] {
    var lines: [String] = []
    for (index, item) in parts.enumerated() {
      let bullet = bullet(index, layout)
      let box = item.isTicked.map { $0 ? "[X]" : "[ ]" }
      let head = [bullet, box, item.words.joined(separator: " ")].compactMap(\.self).joined(separator: " ")
      let margin = String(repeating: " ", count: bullet.count + 1)
      let inner = item.parts.flatMap { $0.kind == .line ? [$0.words.joined(separator: " ")] : $0.blockText(layout) }
      lines += index == 0 ? [] : Array(repeating: "", count: layout.itemGap)
      lines += [head] + inner.map { $0.isEmpty ? "" : margin + $0 }
    }
    let indentation = String(repeating: " ", count: layout.isPlain ? 0 : indentation)
    return lines.map { $0.isEmpty ? "" : indentation + $0 }
  }

  private func bullet(_ index: Int, _ layout: Layout) -> String {
    if layout.isPlain { return kind == .list ? "-" : "1." }
    if kind == .list { return hasOtherBullets ? "+" : "-" }
    return "\(index + 1)" + (hasOtherBullets ? ")" : ".")
  }

  private func tableText(_ layout: Layout) -> [String] {
    let rows = parts.filter { $0.kind == .row }.map(\.words)
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return parts.map { part in
      if part.kind == .formula { return "#+TBLFM: \(part.words.joined(separator: "::"))" }
      if layout.isPlain { return "| \(part.words.joined(separator: " | ")) |" }
      let cells = part.words.enumerated().map { index, cell in
        cell + String(repeating: " ", count: widths[index] - cell.count)
      }
      return "| \(cells.joined(separator: " | ")) |"
    }
  }
}
