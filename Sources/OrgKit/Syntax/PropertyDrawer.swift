/// The drawer below headline or planning line that holds nothing but `:KEY: value` lines.
struct PropertyDrawer {
  /// One line of the drawer.
  struct Property {
    let line: Bytes
    let key: Bytes
    let value: Bytes

    init?(_ line: Bytes) {
      let content = line.trimmed
      let bytes = content.span
      guard bytes.count > 2, bytes[0] == .colon else { return nil }
      // The key ends at the first colon before a blank or the end of the line.
      var end = 1
      while end < bytes.count, !bytes[end].isBlank { end += 1 }
      guard end > 2, bytes[end - 1] == .colon else { return nil }
      self.line = line
      key = content[(content.startIndex + 1)..<(content.startIndex + end - 1)]
      value = content[(content.startIndex + end)...].trimmedLeft
    }
  }

  /// All lines, from `:PROPERTIES:` to `:END:`.
  let lines: ArraySlice<Bytes>
  let properties: [Property]

  /// Reads the drawer that begins with the first of `lines`; nil if none does.
  init?(at lines: ArraySlice<Bytes>) {
    guard let first = lines.first, Self.isStart(first) else { return nil }
    var properties: [Property] = []
    for index in lines.indices.dropFirst() {
      if Self.isEnd(lines[index]) {
        self.lines = lines[...index]
        self.properties = properties
        return
      }
      guard let property = Property(lines[index]) else { return nil }
      properties.append(property)
    }
    return nil
  }

  /// Reads the drawer that begins with the first line of `text`, and no line behind it; nil if there is none.
  init?(at text: Bytes) {
    guard Self.isStart(text.firstLine) else { return nil }
    var lines: [Bytes] = []
    var properties: [Property] = []
    var rest = text
    while !rest.isEmpty {
      let line = rest.firstLine
      if !lines.isEmpty {
        if Self.isEnd(line) {
          self.lines = (lines + [line])[...]
          self.properties = properties
          return
        }
        guard let property = Property(line) else { return nil }
        properties.append(property)
      }
      lines.append(line)
      rest = rest.withoutFirstLine
    }
    return nil
  }

  private static func isStart(_ line: Bytes) -> Bool { line.trimmed.equals(ignoringCase: ":properties:") }

  private static func isEnd(_ line: Bytes) -> Bool { line.trimmed.equals(ignoringCase: ":end:") }

  /// The value of the first property with this key, case ignored.
  subscript(key: StaticString) -> Bytes? {
    properties.first { $0.key.equals(ignoringCase: key) }?.value
  }
}
