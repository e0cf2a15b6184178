/// The drawer below headline or planning line that contains only `:KEY: value` lines.
struct PropertyDrawer {
  /// One line of the drawer.
  struct Property {
    let line: Bytes
    private let keyPlace: Range<Int>

    init?(_ line: Bytes) {
      let bytes = line.span
      let start = bytes.firstNonBlank()
      guard start < bytes.count, bytes[start] == .colon else { return nil }
      // The key ends at the last colon before white space or the end of the line.
      var end = start + 1
      while end < bytes.count, !bytes[end].isBlank { end += 1 }
      guard end > start + 2, bytes[end - 1] == .colon else { return nil }
      self.line = line
      keyPlace = (line.startIndex + start + 1)..<(line.startIndex + end - 1)
    }

    var key: Bytes { line[keyPlace] }

    var value: Bytes { line[(keyPlace.upperBound + 1)...].trimmed }
  }

  /// All lines, from `:PROPERTIES:` to `:END:`.
  let lines: Lines

  /// Parses the drawer that begins with the first of `lines`; returns nil if there is none.
  init?(at lines: Lines) {
    guard let first = lines.first, Self.isStart(first) else { return nil }
    let others = lines.dropFirst()
    guard let end = others.firstIndex(where: { Self.isEnd($0) || Property($0) == nil }), Self.isEnd(lines[end]) else {
      return nil
    }
    self.lines = lines[...end]
  }

  /// Parses the drawer that begins with the first line of `text`, and nothing after it; returns nil if there is none.
  init?(at text: Bytes) {
    guard Self.isStart(text.firstLine) else { return nil }
    var rest = text.withoutFirstLine
    while !rest.isEmpty, !Self.isEnd(rest.firstLine) { rest = rest.withoutFirstLine }
    self.init(at: text[..<rest.firstLine.endIndex].lines)
  }

  private static func isStart(_ line: Bytes) -> Bool { line.trimmed.equals(ignoringCase: ":properties:") }

  private static func isEnd(_ line: Bytes) -> Bool { line.trimmed.equals(ignoringCase: ":end:") }

  var properties: [Property] { lines.dropFirst().dropLast().compactMap { Property($0) } }

  /// The value of the first property with this key; ignores case.
  subscript(key: StaticString) -> Bytes? {
    lines.lazy.dropFirst().dropLast().compactMap { Property($0) }.first { $0.key.equals(ignoringCase: key) }?.value
  }
}
