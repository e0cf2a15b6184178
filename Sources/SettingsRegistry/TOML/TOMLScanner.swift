/// Walks over the text of a document: where it is, what comes next, what was found wrong so far.
///
/// Only mistakes after which the next character still makes sense are kept here; all others are thrown.
struct TOMLScanner {
  private let scalars: [Unicode.Scalar]
  private var offset = 0
  /// Where the next scalar stands.
  private(set) var location: TextLocation
  var comments: [TOMLComment] = []
  var mistakes: [Diagnostic] = []

  init(_ scalars: [Unicode.Scalar], file: String) {
    self.scalars = scalars
    location = TextLocation(file: file)
  }

  /// The next scalar, or nil at the end of the text.
  var next: Unicode.Scalar? { peek(0) }

  /// The scalar `distance` behind the next one.
  func peek(_ distance: Int) -> Unicode.Scalar? {
    offset + distance < scalars.count ? scalars[offset + distance] : nil
  }

  /// Whether the next scalars are those of `text`.
  func isAt(_ text: String) -> Bool {
    scalars[offset...].starts(with: text.unicodeScalars)
  }

  /// A newline is LF or CR LF; a CR alone is none.
  var isAtNewline: Bool { next == "\n" || (next == "\r" && peek(1) == "\n") }

  /// Moves on by `count` scalars, of which none may lie behind the end.
  mutating func advance(by count: Int = 1) {
    for scalar in scalars[offset..<offset + count] { location.advance(over: scalar) }
    offset += count
  }

  /// Moves behind `text` if it comes next.
  mutating func take(_ text: String) -> Bool {
    guard isAt(text) else { return false }
    advance(by: text.unicodeScalars.count)
    return true
  }

  /// Moves behind a newline if one comes next.
  mutating func takeNewline() -> Bool {
    guard isAtNewline else { return false }
    advance(by: next == "\r" ? 2 : 1)
    return true
  }

  /// Moves behind all scalars that come next and of which `belongs` is true, and returns them.
  mutating func take(while belongs: (Unicode.Scalar) -> Bool) -> String {
    let taken = scalars[offset...].prefix(while: belongs)
    advance(by: taken.count)
    return String(String.UnicodeScalarView(taken))
  }

  /// Moves to the first scalar that is neither space nor tab.
  mutating func skipBlanks() {
    while next == " " || next == "\t" { advance() }
  }

  /// Moves behind the end of this line.
  mutating func skipLine() {
    while next != nil, !takeNewline() { advance() }
  }

  /// Moves to the end of this line if a comment comes next, and keeps the comment.
  mutating func takeComment() {
    guard next == "#" else { return }
    let start = location
    advance()
    var text = ""
    while let scalar = next, !isAtNewline {
      text.unicodeScalars.append(takeText(scalar))
    }
    comments.append(TOMLComment(text: text, location: start))
  }

  /// Moves behind `scalar`, which comes next in a string or comment, where TOML allows no control characters but tab.
  mutating func takeText(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if (scalar.value < 0x20 && scalar != "\t") || scalar.value == 0x7F {
      mistakes.append(Diagnostic("a control character is not allowed here", at: location))
    }
    advance()
    return scalar
  }

  /// A mistake at the next scalar.
  func mistake(_ message: String) -> Diagnostic { Diagnostic(message, at: location) }
}
