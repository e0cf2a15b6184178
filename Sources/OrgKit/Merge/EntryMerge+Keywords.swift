extension EntryMerge {
  /// A line `#+KEY: value` that all versions have once.
  mutating func keywordLine(_ key: [UInt8], _ lines: Three<[Bytes]>) -> [Piece]? {
    if let settled = TextMerge.settled(lines, key: \.collapsed) { return Piece.lines(settled) }
    let read = lines.map { $0.count == 1 ? KeywordLine($0[0]) : nil }
    guard read.ours != nil, read.theirs != nil else { return nil }
    let values = read.map { $0?.value ?? [] }
    let start = lines.zip(read).map { lines, read in read.map { lines[0].start(before: $0.value) } }.layout
    if key.elementsEqual("filetags".utf8) {
      let tags = Self.members(values.map { $0.parts { $0 == .colon || $0.isBlank } })
      return [.line(start + ([.colon] + tags.joined(separator: [.colon]) + [.colon]))]
    }
    if Self.listKeys.contains(where: { key.elementsEqual($0.utf8) }) {
      return [.line(start + Array(Self.members(values.map(\.words)).joined(separator: [.space])))]
    }
    if values.base.words.count >= 3, options.mergesWords, let merged = WordMerge.merge(values) {
      return [.line(start + merged)]
    }
    return disputedKeywordLine(key, values, lines)
  }

  /// A line that one side changed and the other removed: the change stands, flagged.
  mutating func removedKeywordLine(_ key: [UInt8], _ side: Block, _ lines: Three<[Bytes]>) -> [Piece] {
    let value = side.lines.first.flatMap { KeywordLine($0) }?.value ?? []
    record(FieldConflict(.body, headerName(key), standing: Array(value), other: nil))
    return [.disputed(shown: Array(side.lines), lines)]
  }

  private mutating func disputedKeywordLine(_ key: [UInt8], _ values: Three<Bytes>, _ lines: Three<[Bytes]>) -> [Piece]
  {
    let isOursFirst = !precedes(values.theirs, values.ours)
    let (standing, other) = isOursFirst ? (values.ours, values.theirs) : (values.theirs, values.ours)
    record(FieldConflict(.body, headerName(key), standing: Array(standing), other: Array(other)))
    return [.disputed(shown: isOursFirst ? lines.ours : lines.theirs, lines)]
  }

  private func headerName(_ key: [UInt8]) -> [UInt8] { Array("header ".utf8) + Array(key.string.uppercased().utf8) }

  /// Keys whose values are lists of words.
  private static let listKeys = ["startup", "options", "todo", "seq_todo", "typ_todo"]
}
