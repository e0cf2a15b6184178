/// The line `** Note ID: …` that marks a part of the capture file as ours. Emacs deletes such lines before it parses anything
/// else (org-mobile-move-capture); other clients know them from their own notes.
struct NoteID: Hashable, Sendable, Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  /// Creates an ID in the form of a UUID.
  init(random: Bytes) {
    let digits = Bytes("0123456789ABCDEF".utf8)
    var text = random.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.string
    for offset in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
    self.text = text
  }

  var line: Bytes { Bytes("** Note ID: \(text)\n".utf8) }

  /// Parses a line; returns nil if it is not such a line.
  init?(line: Bytes) {
    let head = Bytes("** note id: ".utf8)
    guard line.count > head.count, Bytes(line.prefix(head.count)).lowercased == head else { return nil }
    let rest = Bytes(line.dropFirst(head.count)).withoutTrailingBlanks
    guard !rest.isEmpty, rest.allSatisfy({ $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit }) else {
      return nil
    }
    self.text = Bytes(rest).string
  }

  static func < (a: NoteID, b: NoteID) -> Bool { a.text < b.text }
}
