/// A part of a merged entry: a line, or a conflict.
enum Piece: Equatable {
  case line(Bytes)
  /// A conflict: its form in Org, and its lines in all three versions.
  case disputed(shown: [Bytes], Three<[Bytes]>)

  static func lines(_ lines: some Sequence<Bytes>) -> [Piece] { lines.map { .line($0) } }

  /// Returns a conflict of texts: each variant in a special block, the smaller one first.
  static func blocks(_ variants: Three<[Bytes]>) -> Piece {
    let sides = [variants.ours, variants.theirs]
    let texts = sides.map { Array($0.map { Array($0) + [.newline] }.joined()) }
    let smallerFirst = precedes(texts[1], texts[0]) ? [1, 0] : [0, 1]
    let name = SHA256(texts[smallerFirst[0]] + [0] + texts[smallerFirst[1]]).shortName
    var shown: [Bytes] = []
    for (number, side) in smallerFirst.enumerated() where !sides[side].isEmpty {
      let isAlone = sides.contains { $0.isEmpty }
      let role = isAlone ? ":other deleted" : ":side \(number + 1)"
      shown.append(Array("#+begin_conflict_\(name) \(role)".utf8)[...])
      shown += sides[side]
      shown.append(Array("#+end_conflict_\(name)".utf8)[...])
    }
    return .disputed(shown: shown, variants)
  }

  /// The lines as Org.
  var shown: [Bytes] {
    switch self {
    case .line(let line): [line]
    case .disputed(let shown, _): shown
    }
  }

  var isDisputed: Bool {
    switch self {
    case .line: false
    case .disputed: true
    }
  }
}

extension [Piece] {
  /// The text of the lines as Org.
  var text: [UInt8] { [UInt8](flatMap(\.shown).joined(separator: [.newline])) }
}
