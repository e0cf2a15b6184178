extension ForestMerge {
  /// Returns the text of a file without trailing blank lines.
  func text(of file: Int) -> [UInt8] {
    var text = MarkedText(lineEnd: [.newline])
    var predecessor: Int?
    for entity in writtenMembers(of: file) {
      if let predecessor { text.append(gap(above: entity, behind: predecessor)) }
      write(entity, to: &text)
      predecessor = entity
    }
    text.append(fileConflict(file))
    return text.bytes
  }

  private func write(_ entity: Int, to text: inout MarkedText) {
    switch contents[entity] {
    case .verbatim(let version):
      guard let node = table.entities[entity][version] else { return }
      let outline = table.outlines[version]
      let level = outline.nodes[node].level
      if level == structure.levels[entity] {
        text.append(outline.entry(node))
      } else {
        text.append(Array(repeating: .star, count: structure.levels[entity]))
        text.append(outline.entry(node).dropFirst(level))
      }
    case .merged(let entry):
      switch options.style {
      case .org: write(entry, level: structure.levels[entity], to: &text)
      case .markers(let labels): write(entry, of: entity, labels, to: &text)
      case .decided: write(entry.decided(for: options.style.side), level: structure.levels[entity], to: &text)
      }
    }
  }

  /// Writes an entry with its conflicts as tag, drawer and blocks.
  func write(_ entry: MergedEntry, level: Int, to text: inout MarkedText) {
    if var headline = entry.headline {
      if entry.isInConflict { headline.add(tag: Array(options.tag.utf8)) }
      text.append(line: headline.bytes(level: level))
    }
    for piece in entry.head { text.append(lines: piece.shown) }
    if entry.headline != nil {
      text.append(lines: conflictDrawer(entry.conflicts, indentation: entry.head.last?.shown.last?.indentation ?? []))
    }
    for piece in entry.body { text.append(lines: piece.shown) }
  }

  func conflictDrawer(_ conflicts: [FieldConflict], indentation: Bytes) -> [Bytes] {
    if conflicts.isEmpty { return [] }
    let sorted = conflicts.enumerated().sorted { ($0.element.field, $0.offset) < ($1.element.field, $1.offset) }
    let lines = [Array(":\(options.drawer):".utf8)] + sorted.flatMap(\.element.lines) + [Array(":END:".utf8)]
    return lines.map { indentation + $0 }
  }

  /// Returns a separate entry at the end of the file for conflicts that a preamble cannot contain; empty if an earlier merge
  /// wrote the same entry, for example before a crash.
  func fileConflict(_ file: Int) -> [UInt8] {
    guard case .org = options.style, case .merged(let entry) = contents[file], entry.isInConflict else { return [] }
    var text = MarkedText(lineEnd: [.newline])
    text.append(line: Array("* File conflict :\(options.tag):".utf8))
    text.append(lines: conflictDrawer(entry.conflicts, indentation: []))
    return members(of: file).contains { isWritten($0, as: text.bytes) } ? [] : text.bytes
  }

  private func isWritten(_ entity: Int, as text: [UInt8]) -> Bool {
    guard case .verbatim(let version) = contents[entity], let node = table.entities[entity][version] else {
      return false
    }
    return table.outlines[version].entry(node).elementsEqual(text)
  }

  /// Writes an entry with its conflicts between markers.
  private func write(_ entry: MergedEntry, of entity: Int, _ labels: LineMerge.Labels, to text: inout MarkedText) {
    let versions = table.entities[entity].zip(table.outlines)
    if entry.conflicts.contains(where: { $0.field == .entry }) {
      let texts = versions.map { node, outline in node.map { outline.entry($0) } ?? [] }
      text.append(LineMerge.Conflict(base: texts.base, ours: texts.ours, theirs: texts.theirs), labels)
      return
    }
    let isMoved = entry.conflicts.contains { $0.field == .parent }
    let headlines = versions.map { node, outline in node.map { [outline.headline($0)] } ?? [] }
    if let variants = entry.headline?.variants ?? (isMoved ? headlines : nil) {
      text.append(variants, labels)
    } else if let headline = entry.headline {
      text.append(line: headline.bytes(level: structure.levels[entity]))
    }
    for piece in entry.head + entry.body {
      switch piece {
      case .line(let line): text.append(line: line)
      case .disputed(_, let variants): text.append(variants, labels)
      }
    }
  }

  private func gap(above entity: Int, behind predecessor: Int) -> Bytes {
    let nodes = table.entities[entity]
    if let settled = settledGap(nodes, behind: predecessor) { return settled }
    let gap = Gap(
      versions: Three(
        base: version(nodes.base, table.outlines.base, table.numbers.base),
        ours: version(nodes.ours, table.outlines.ours, table.numbers.ours),
        theirs: version(nodes.theirs, table.outlines.theirs, table.numbers.theirs)))
    return gap.merged(behind: predecessor) {
      [Version.ours, .theirs].compactMap { side in
        table.entities[predecessor][side].map { table.outlines[side].gapBehind($0) }
      }
    }
  }

  /// Returns the blank lines if both sides have the same ones after the same entry, which is the usual case.
  private func settledGap(_ nodes: Three<Int?>, behind predecessor: Int) -> Bytes? {
    guard let ours = nodes.ours, let theirs = nodes.theirs, ours > 0, theirs > 0,
      table.numbers.ours[ours - 1] == predecessor, table.numbers.theirs[theirs - 1] == predecessor
    else { return nil }
    let gap = table.outlines.ours.gap(ours)
    return gap.span.isSame(as: table.outlines.theirs.gap(theirs).span) ? gap : nil
  }

  private func version(_ node: Int?, _ outline: Outline, _ numbers: [Int]) -> Gap.Version? {
    node.map { Gap.Version(lines: outline.gap($0), predecessor: $0 > 0 ? numbers[$0 - 1] : nil) }
  }
}

extension MarkedText {
  mutating func append(line: some Sequence<UInt8>) {
    append(line)
    append([.newline])
  }

  mutating func append(lines: [Bytes]) {
    for line in lines { append(line: line) }
  }

  mutating func append(_ variants: Three<[Bytes]>, _ labels: LineMerge.Labels) {
    let texts = variants.map { Array($0.map { $0 + [.newline] }.joined())[...] }
    append(LineMerge.Conflict(base: texts.base, ours: texts.ours, theirs: texts.theirs), labels)
  }
}
