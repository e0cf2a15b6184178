// Merges blocks that contain blocks: quotes and other special blocks, drawers, footnotes, inline tasks.

extension EntryMerge {
  /// The maximum nesting of containers; deeper ones merge by whole lines.
  private static let depthLimit = 4

  /// Merges the content of a container block by block; nil if the container as a whole is a conflict.
  mutating func container(_ block: Three<Block?>) -> [Piece]? {
    let parts = block.map { $0.map(ContainerParts.init) ?? ContainerParts() }
    guard depth < Self.depthLimit else {
      return TextMerge.code(block.map { $0.map { Array($0.lines) } ?? [] }).map(Piece.lines)
    }
    guard let head = TextMerge.prose(parts.map(\.head), byWords: options.mergesWords),
      let tail = TextMerge.prose(parts.map(\.tail), byWords: false)
    else { return nil }
    depth += 1
    defer { depth -= 1 }
    let before = (conflicts, decisions)
    let content = body(parts.map(\.blocks))
    // A footnote begins with its label, which must be followed by text.
    if case .footnote = block.ours?.kind, content.first?.isDisputed ?? true {
      (conflicts, decisions) = before
      return nil
    }
    let gap = parts.map { $0.endGap.map { Array($0)[...] } }
    let end = TextMerge.code(gap) ?? gap.sides.max { $0.count < $1.count } ?? []
    return Piece.lines(head) + content.labelled(parts.map(\.label).layout) + Piece.lines(end + tail)
  }
}

/// The parts of a container.
private struct ContainerParts {
  /// The affiliated keywords of the block, and the line that opens it.
  var head: [Bytes] = []
  /// The label of a footnote, which precedes its text on the same line.
  var label: Bytes = []
  var blocks: [Block] = []
  /// The blank lines before the closing line.
  var endGap: [Bytes] = []
  /// The closing line.
  var tail: [Bytes] = []

  init() {}

  init(_ block: Block) {
    head = Array(block.lines.prefix(block.affiliated))
    var content = block.body
    if case .footnote = block.kind {
      let first = content.first ?? []
      let end = first.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? first.startIndex
      let text = first[end...]
      label = first[..<text.trimmedLeft.startIndex]
      content = Lines([text.trimmedLeft] + content.dropFirst())
    } else {
      head.append(contentsOf: content.prefix(1))
      content = content.dropFirst()
      if let last = content.last, block.kind != .inlineTask || last.first == .star {
        tail = [last]
        content = content.dropLast()
      }
    }
    var scanner = BlockScanner(content, isPreamble: false)
    blocks = scanner.blocks()
    endGap = content[(blocks.last?.whole.endIndex ?? content.startIndex)...].map(\.self)
  }
}

extension [Piece] {
  /// Returns the pieces with a label before the first line.
  fileprivate func labelled(_ label: Bytes) -> [Piece] {
    guard !label.isEmpty, case .line(let line) = first else { return self }
    return [.line(label + line)] + dropFirst()
  }
}
