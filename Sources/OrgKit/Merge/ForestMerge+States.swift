// Keeps task states that one side removed from the declarations of the file while the other began to use them.

extension ForestMerge {
  /// Puts removed states that are in use back into the declarations, flagged: without them a state would be a word of a title.
  mutating func keepUsedStates() {
    for file in table.entities.indices where structure.isFile(file) && structure.isAlive[file] {
      let declared = sections(of: file).map { DeclaredStates($0 ?? []) }
      let removed = declared.removed
      if removed.isEmpty { continue }
      let used = states(in: file)
      let needed = removed.filter { state, side in
        used[state]?.contains { self.state(of: $0, in: side) != state } ?? false
      }
      if !needed.isEmpty { restore(needed, in: file, declared) }
    }
  }

  /// Returns the entries of a file by the states that they have in the result.
  private func states(in file: Int) -> [[UInt8]: [Int]] {
    members(of: file).reduce(into: [:]) { states, entity in
      let state: Bytes?
      switch contents[entity] {
      case .merged(let entry): state = entry.headline?.keyword
      case .verbatim(let version): state = headlines(of: entity)[version]?.keyword
      }
      if let state { states[Array(state), default: []].append(entity) }
    }
  }

  private func state(of entity: Int, in version: Version) -> [UInt8]? {
    headlines(of: entity)[version]?.keyword.map { Array($0) }
  }

  /// Adds states to the line that declares their neighbours; without such a line, the line of the other side is added.
  private mutating func restore(_ states: [[UInt8]: Version], in file: Int, _ declared: Three<DeclaredStates>) {
    var entry = takenApart(file)
    let order = declared.base.order.filter { states[$0] != nil }
    for declaration in declared.base.lines {
      let own = order.filter(declaration.names.contains)
      guard let first = own.first, let side = states[first] else { continue }
      let place = entry.body.indices.max { one, other in
        declaration.shared(with: entry.body[one]) < declaration.shared(with: entry.body[other])
      }
      if let place, declaration.shared(with: entry.body[place]) > 0, case .line(let line) = entry.body[place] {
        let kept = Three(
          base: own, ours: own.filter { states[$0] == .theirs }, theirs: own.filter { states[$0] == .ours })
        let variants = kept.map { [declaration.adding($0, to: line)] }
        entry.body[place] = .disputed(shown: [declaration.adding(own, to: line)], variants)
      } else {
        let lines = [declaration.line]
        let variants = Three(base: lines, ours: side == .ours ? [] : lines, theirs: side == .theirs ? [] : lines)
        entry.body.insert(.disputed(shown: lines, variants), at: 0)
      }
    }
    contents[file] = .merged(entry)
    flag(file, order.map { FieldConflict(.body, "header TODO".utf8, standing: $0, other: nil) })
  }
}

/// The task states that a preamble declares.
private struct DeclaredStates {
  /// A line that declares states.
  struct Declaration {
    let line: Bytes
    /// The words by their names, without the settings in parentheses.
    let words: [(name: [UInt8], word: Bytes)]

    init?(_ line: Bytes) {
      guard let setting = KeywordLine(line), setting.declaresKeywords else { return nil }
      self.line = line
      words = setting.value.words.map { (Array($0.prefix { $0 != UInt8(ascii: "(") }), $0) }
    }

    var names: [[UInt8]] { words.map(\.name).filter { $0 != DeclaredStates.bar } }

    /// Returns the number of states that a piece declares as well; zero if it is a conflict.
    func shared(with piece: Piece) -> Int {
      guard case .line(let line) = piece, let other = Declaration(line) else { return 0 }
      return Set(names).intersection(other.names).count
    }

    /// Returns a line with more words of this one, each behind its neighbour.
    func adding(_ names: [[UInt8]], to line: Bytes) -> Bytes {
      guard let other = Declaration(line), let value = KeywordLine(line)?.value else { return line }
      var result = other.words
      for name in names {
        guard let place = words.firstIndex(where: { $0.name == name }) else { continue }
        let before = words[..<place].reversed().lazy.compactMap { word in
          result.firstIndex { $0.name == word.name }
        }.first
        result.insert(words[place], at: before.map { $0 + 1 } ?? 0)
      }
      return (Array(line[..<value.startIndex]) + result.map(\.word).joined(separator: [.space]))[...]
    }
  }

  static let bar = Array("|".utf8)

  let lines: [Declaration]
  var order: [[UInt8]] { lines.flatMap(\.names) }

  init(_ section: Bytes) {
    lines = section.lines.compactMap { Declaration($0) }
  }
}

extension Three<DeclaredStates> {
  /// The states that one side removed, with that side.
  fileprivate var removed: [[UInt8]: Version] {
    let names = map { Set($0.order) }
    var removed: [[UInt8]: Version] = [:]
    for name in names.base where names.ours.contains(name) != names.theirs.contains(name) {
      removed[name] = names.ours.contains(name) ? .theirs : .ours
    }
    return removed
  }
}
