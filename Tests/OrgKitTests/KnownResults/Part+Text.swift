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
    var lines: [String] = []
    lines.reserveCapacity(120)
    writeSection(layout, to: &lines)
    for entry in parts where entry.kind == .entry { entry.writeEntry(level: 1, layout, to: &lines) }
    return lines
  }

  private func writeEntry(level: Int, _ layout: Layout, to lines: inout [String]) {
    lines.append(blank: lines.isEmpty ? 0 : layout.entryGap)
    lines.append(headline(level: level, layout))
    writeSection(layout, to: &lines)
    for entry in parts where entry.kind == .entry { entry.writeEntry(level: level + 1, layout, to: &lines) }
  }

  private func headline(level: Int, _ layout: Layout) -> String {
    var line = String(repeating: "*", count: level)
    if let state { line += " " + state }
    if let priority { line += " [#" + priority + "]" }
    line += " " + spaced(words)
    if let cookie = cookie(layout) { line += " " + cookie }
    let tags = parts.first { $0.kind == .tags }?.parts.flatMap(\.words) ?? []
    if tags.isEmpty { return line }
    return line + " " + (layout.isPlain ? spaced(tags) : ":\(tags.joined(separator: ":")):")
  }

  /// The number of finished tasks below an entry.
  private func cookie(_ layout: Layout) -> String? {
    guard hasCookie else { return nil }
    let tasks = parts.filter { $0.kind == .entry && $0.state != nil }
    return layout.isPlain ? "[/]" : "[\(tasks.count { $0.state == "DONE" })/\(tasks.count)]"
  }

  /// Writes dates, properties, and blocks with blank lines between them.
  private func writeSection(_ layout: Layout, to lines: inout [String]) {
    let dates = (parts.first { $0.kind == .planning }?.parts ?? []).map { spaced($0.words) }.sorted()
    if !dates.isEmpty { lines.append(spaced(dates)) }
    let properties = parts.first { $0.kind == .properties }?.parts ?? []
    if !properties.isEmpty {
      lines.append(":PROPERTIES:")
      for property in properties { lines.append(":\(property.words[0]): " + spaced(property.words.dropFirst())) }
      lines.append(":END:")
    }
    writeBlocks(layout, to: &lines)
  }

  private func writeBlocks(_ layout: Layout, to lines: inout [String]) {
    var isFirst = true
    for block in parts where block.isBlock && !(block.kind == .logbook && block.parts.isEmpty) {
      lines.append(blank: isFirst ? 0 : layout.blockGap)
      block.writeBlock(layout, to: &lines)
      isFirst = false
    }
  }

  private func writeBlock(_ layout: Layout, to lines: inout [String]) {
    switch kind {
    case .paragraph: writeLines(to: &lines)
    case .list, .numbered: writeItems(layout, to: &lines)
    case .table: writeTable(layout, to: &lines)
    case .source, .example, .verse, .quote, .special: writeDelimited(layout, to: &lines)
    case .fixedWidth: writeLines(behind: ": ", to: &lines)
    case .comment: writeLines(behind: "# ", to: &lines)
    case .drawer:
      lines.append(":DETAILS:")
      writeBlocks(layout, to: &lines)
      lines.append(":END:")
    case .footnote:
      lines.append("[fn:\(words[0])] " + spaced(words.dropFirst()))
      writeLines(to: &lines)
    case .keyword: lines.append("#+\(words[0]): " + spaced(words.dropFirst()))
    case .inlineTask:
      lines.append("*************** " + spaced(words))
      writeBlocks(layout, to: &lines)
      lines.append("*************** END")
    case .logbook: lines += [":LOGBOOK:"] + parts.map { spaced($0.words) }.sorted(by: >) + [":END:"]
    default: break
    }
  }

  private func writeLines(behind start: String = "", to lines: inout [String]) {
    for part in parts { lines.append(start + spaced(part.words)) }
  }

  /// Writes a block between `#+begin_` and `#+end_`.
  private func writeDelimited(_ layout: Layout, to lines: inout [String]) {
    let name =
      switch kind {
      case .source: "src"
      case .special: "aside"
      default: kind.rawValue
      }
    lines.append("#+begin_\(name)\(kind == .source ? " sh" : "")")
    if isCode { writeLines(to: &lines) } else { writeBlocks(layout, to: &lines) }
    lines.append("#+end_\(name)")
  }

  private func writeItems(_ layout: Layout, to lines: inout [String]) {
    let indentation = String(repeating: " ", count: layout.isPlain ? 0 : indentation)
    for (index, item) in parts.enumerated() {
      let bullet = bullet(index, layout)
      lines.append(blank: index == 0 ? 0 : layout.itemGap)
      let box = item.isTicked.map { $0 ? " [X] " : " [ ] " } ?? " "
      lines.append(indentation + bullet + box + spaced(item.words))
      var inner: [String] = []
      for part in item.parts {
        if part.kind == .line { inner.append(spaced(part.words)) } else { part.writeBlock(layout, to: &inner) }
      }
      let margin = indentation + String(repeating: " ", count: bullet.count + 1)
      for line in inner { lines.append(line.isEmpty ? "" : margin + line) }
    }
  }

  private func bullet(_ index: Int, _ layout: Layout) -> String {
    if layout.isPlain { return kind == .list ? "-" : "1." }
    if kind == .list { return hasOtherBullets ? "+" : "-" }
    return "\(index + 1)" + (hasOtherBullets ? ")" : ".")
  }

  private func writeTable(_ layout: Layout, to lines: inout [String]) {
    let rows = parts.filter { $0.kind == .row }.map(\.words)
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].utf8.count : 0 }.max() ?? 0 }
    for part in parts {
      if part.kind == .formula {
        lines.append("#+TBLFM: \(part.words.joined(separator: "::"))")
      } else if layout.isPlain {
        lines.append("| \(part.words.joined(separator: " | ")) |")
      } else {
        let cells = part.words.enumerated().map { index, cell in
          cell + String(repeating: " ", count: widths[index] - cell.utf8.count)
        }
        lines.append("| \(cells.joined(separator: " | ")) |")
      }
    }
  }
}

extension [String] {
  fileprivate mutating func append(blank count: Int) {
    for _ in 0..<count { append("") }
  }
}

/// Returns words with spaces between them; most lines of a document are made by it.
private func spaced(_ words: some Collection<String>) -> String {
  var line = ""
  for word in words {
    if !line.isEmpty { line += " " }
    line += word
  }
  return line
}

/// The lines as a text, each with a line end.
func joined(_ lines: [String]) -> [UInt8] {
  lines.flatMap { Array("\($0)\n".utf8) }
}
