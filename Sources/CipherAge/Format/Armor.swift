/// The text form of age files: PEM with 64 columns, as strict as RFC 7468, section 3, figure 3.
enum Armor {
  static let begin = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
  static let end = Array("-----END AGE ENCRYPTED FILE-----".utf8)
  static let columns = 64
  /// The number of bytes in a full line.
  static let lineSize = 48

  static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// Returns true if `bytes` are the beginning of an armored file, or a prefix of it.
  static func begins(_ bytes: [UInt8]) -> Bool { zip(bytes.drop(while: isSpace), begin).allSatisfy(==) }
}

/// Adds the armor to a file as a stream.
struct ArmorWriter: Sendable {
  private var pieces = Pieces(of: Armor.lineSize)
  private var isBegun = false

  mutating func update(_ chunk: [UInt8]) -> [UInt8] {
    var text = begun()
    for line in pieces.take(chunk) { text += Base64.text(of: line, padded: true) + [Header.newline] }
    return text
  }

  mutating func finish() -> [UInt8] {
    let start = begun()
    let last = Base64.text(of: pieces.last(), padded: true)
    return start + (last.isEmpty ? [] : last + [Header.newline]) + Armor.end + [Header.newline]
  }

  private mutating func begun() -> [UInt8] {
    defer { isBegun = true }
    return isBegun ? [] : Armor.begin + [Header.newline]
  }
}

/// Removes the armor from a file as a stream. Only white space is allowed around the armor.
struct ArmorReader: Sendable {
  private enum Part { case before, inside, lastLine, after }

  private var part = Part.before
  private var rest: [UInt8] = []

  mutating func update(_ chunk: [UInt8]) throws(AgeError) -> [UInt8] {
    rest += chunk
    var bytes: [UInt8] = []
    bytes.reserveCapacity(chunk.count * 3 / 4)
    var start = 0
    while let end = rest[start...].firstIndex(of: Header.newline) {
      try read(rest[start..<end], into: &bytes)
      start = end + 1
    }
    rest = Array(rest[start...])
    guard rest.count <= Armor.columns + 1 || rest.allSatisfy(Armor.isSpace) else { throw Self.wrong }
    return bytes
  }

  mutating func finish() throws(AgeError) -> [UInt8] {
    var bytes: [UInt8] = []
    if !rest.isEmpty { try read(rest[...], into: &bytes) }
    guard part == .after, bytes.isEmpty else { throw .malformed("the armor has no end") }
    return []
  }

  private mutating func read(_ raw: ArraySlice<UInt8>, into bytes: inout [UInt8]) throws(AgeError) {
    // Both line ends are in use.
    let line = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
    switch part {
    case .before:
      let text = line.drop(while: Armor.isSpace)
      if text.isEmpty { return }
      guard text.elementsEqual(Armor.begin) else { throw Self.wrong }
      part = .inside
    case .inside where line.elementsEqual(Armor.end), .lastLine where line.elementsEqual(Armor.end):
      part = .after
    case .inside:
      guard !line.isEmpty, line.count <= Armor.columns, let piece = Base64.bytes(of: line, padded: true) else {
        throw Self.wrong
      }
      bytes += piece
      if piece.count < Armor.lineSize { part = .lastLine }
    case .lastLine: throw Self.wrong
    case .after: guard line.allSatisfy(Armor.isSpace) else { throw Self.wrong }
    }
  }

  private static let wrong = AgeError.malformed("the armor around the file is invalid")
}
