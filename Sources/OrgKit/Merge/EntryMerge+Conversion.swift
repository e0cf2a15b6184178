// Merges a paragraph that one side made a list or a quote with the other side's edits of its text.

extension EntryMerge {
  /// Returns the merged text in the form that a side gave to a paragraph; nil if neither did, if their forms differ, or if the
  /// text does not fit.
  func converted(_ block: Three<Block?>) -> [Piece]? {
    guard let base = block.base, let ours = block.ours, let theirs = block.theirs, base.kind == .paragraph else {
      return nil
    }
    let forms = [ours, theirs].map { $0.kind == .paragraph ? nil : ParagraphForm($0) }
    guard let form = forms[0] ?? forms[1],
      [ours.kind, theirs.kind].allSatisfy({ $0 == .paragraph || $0 == form.kind }),
      forms.allSatisfy({ $0.map { $0.frame == form.frame } ?? true })
    else { return nil }
    let text = TextMerge.prose(
      Three(
        base: Array(base.lines), ours: forms[0]?.text ?? Array(ours.lines),
        theirs: forms[1]?.text ?? Array(theirs.lines)),
      byWords: options.mergesWords)
    return text.flatMap(form.filled).map(Piece.lines)
  }
}

/// A list or container as a paragraph: its lines of text, and what surrounds them.
struct ParagraphForm {
  /// What surrounds the text.
  struct Frame: Equatable {
    var before: [Bytes] = []
    var margins: [Bytes] = []
    var after: [Bytes] = []
  }

  let kind: Block.Kind
  private(set) var frame = Frame()
  private(set) var text: [Bytes] = []

  /// Nil if the block is neither, or contains blank lines, sub-items or other blocks.
  init?(_ block: Block) {
    guard block.affiliated == 0, !block.lines.contains(where: \.isBlank) else { return nil }
    kind = block.kind
    switch block.kind {
    case .list:
      let items = ListItem.items(of: block.lines)
      guard items.allSatisfy({ $0.children.isEmpty && $0.parts.blocks.isEmpty }) else { return nil }
      for line in block.lines { append(line, from: ListMarker(line)?.contentStart) }
    case .container:
      let inner = block.lines.dropFirst().dropLast()
      var scanner = BlockScanner(inner, isPreamble: false)
      guard scanner.blocks().map(\.kind) == [.paragraph] else { return nil }
      (frame.before, frame.after) = (Array(block.lines.prefix(1)), Array(block.lines.suffix(1)))
      for line in inner { append(line, from: nil) }
    default: return nil
    }
  }

  private mutating func append(_ line: Bytes, from start: Int?) {
    let start = start ?? line.trimmedLeft.startIndex
    frame.margins.append(line[..<start])
    text.append(line[start...])
  }

  /// Returns the block with another text; nil if it has more or fewer lines.
  func filled(with text: [Bytes]) -> [Bytes]? {
    guard text.count == frame.margins.count else { return nil }
    return frame.before + zip(frame.margins, text).map { $0 + $1.trimmed } + frame.after
  }
}
