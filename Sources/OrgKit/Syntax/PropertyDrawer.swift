/// The drawer below headline or planning line that holds nothing but `:KEY: value` lines.
struct PropertyDrawer {
  /// One line of the drawer.
  struct Property {
    let line: Bytes
    let key: Bytes
    let value: Bytes

    init?(_ line: Bytes) {
      let content = line.trimmed
      guard content.first == .colon else { return nil }
      // The key ends at the first colon before a blank or the end of the line.
      let word = content.prefix { !$0.isBlank }
      guard word.count > 2, word.last == .colon else { return nil }
      self.line = line
      key = word.dropFirst().dropLast()
      value = content[word.endIndex...].trimmedLeft
    }
  }

  /// All lines, from `:PROPERTIES:` to `:END:`.
  let lines: ArraySlice<Bytes>
  let properties: [Property]

  /// Reads the drawer that begins with the first of `lines`; nil if none does.
  init?(at lines: ArraySlice<Bytes>) {
    guard let first = lines.first, first.trimmed.equals(ignoringCase: ":properties:") else { return nil }
    var properties: [Property] = []
    for index in lines.indices.dropFirst() {
      if lines[index].trimmed.equals(ignoringCase: ":end:") {
        self.lines = lines[...index]
        self.properties = properties
        return
      }
      guard let property = Property(lines[index]) else { return nil }
      properties.append(property)
    }
    return nil
  }

  /// The value of the first property with this key, case ignored.
  subscript(key: StaticString) -> Bytes? {
    properties.first { $0.key.equals(ignoringCase: key) }?.value
  }
}
