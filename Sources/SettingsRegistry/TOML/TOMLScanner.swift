/// A position in the text of a document, with the comments and mistakes up to it.
///
/// Mistakes after which parsing can continue are collected here; all others are thrown.
struct TOMLScanner {
  private let scalars: [Unicode.Scalar]
  /// The number of scalars before the next one.
  private(set) var offset = 0
  /// The location of the next scalar.
  private(set) var location: TextLocation
  var comments: [TOMLComment] = []
  var mistakes: [Diagnostic] = []

  init(_ scalars: [Unicode.Scalar], file: String) {
    self.scalars = scalars
    location = TextLocation(file: file)
  }

  /// The next scalar, or nil at the end of the text.
  var next: Unicode.Scalar? { peek(0) }

  /// The scalar at `distance` after the next one.
  func peek(_ distance: Int) -> Unicode.Scalar? {
    offset + distance < scalars.count ? scalars[offset + distance] : nil
  }

  /// Returns true if the next scalars are those of `text`.
  func isAt(_ text: String) -> Bool {
    scalars[offset...].starts(with: text.unicodeScalars)
  }

  /// True at LF or CR LF; a CR alone is not a newline.
  var isAtNewline: Bool { next == "\n" || (next == "\r" && peek(1) == "\n") }

  /// Advances by `count` scalars, which must exist.
  mutating func advance(by count: Int = 1) {
    for scalar in scalars[offset..<offset + count] { location.advance(over: scalar) }
    offset += count
  }

  /// Consumes `text` if it is next.
  mutating func consume(_ text: String) -> Bool {
    guard isAt(text) else { return false }
    advance(by: text.unicodeScalars.count)
    return true
  }

  /// Consumes a newline if it is next.
  mutating func consumeNewline() -> Bool {
    guard isAtNewline else { return false }
    advance(by: next == "\r" ? 2 : 1)
    return true
  }

  /// Consumes the scalars up to the first one for which `belongs` is false, and returns them.
  mutating func consume(while belongs: (Unicode.Scalar) -> Bool) -> String {
    let taken = scalars[offset...].prefix(while: belongs)
    advance(by: taken.count)
    return String(String.UnicodeScalarView(taken))
  }

  /// Skips spaces and tabs.
  mutating func skipBlanks() {
    while next == " " || next == "\t" { advance() }
  }

  /// Skips the rest of this line and its newline.
  mutating func skipLine() {
    while next != nil, !consumeNewline() { advance() }
  }

  /// Consumes a comment if it is next, and records it.
  mutating func consumeComment() {
    guard next == "#" else { return }
    let start = location
    advance()
    var text = ""
    while let scalar = next, !isAtNewline {
      text.unicodeScalars.append(consumeText(scalar))
    }
    comments.append(TOMLComment(text: text, location: start))
  }

  /// Consumes `scalar`, the next one in a string or comment, where TOML allows no control character but tab.
  mutating func consumeText(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if (scalar.value < 0x20 && scalar != "\t") || scalar.value == 0x7F {
      mistakes.append(Diagnostic("a control character is not allowed here", at: location))
    }
    advance()
    return scalar
  }

  /// Creates a mistake at the next scalar.
  func mistake(_ message: String) -> Diagnostic { Diagnostic(message, at: location) }
}
