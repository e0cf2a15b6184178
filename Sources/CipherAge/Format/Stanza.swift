/// A part of the header: the file key wrapped for one recipient, or another program's data.
struct Stanza: Hashable, Sendable {
  /// The type and its arguments; never empty.
  var arguments: [String]
  var body: [UInt8]

  /// The number of characters in a line of the body; the last line has fewer, and may be empty.
  static let lineLength = 64

  /// The stanza as written in a header.
  var text: [UInt8] {
    var text = Array("-> \(arguments.joined(separator: " "))\n".utf8)
    var digits = Base64.text(of: body)[...]
    while digits.count >= Self.lineLength {
      text += digits.prefix(Self.lineLength) + [Header.newline]
      digits = digits.dropFirst(Self.lineLength)
    }
    return text + digits + [Header.newline]
  }

  /// Parses a stanza, and removes its lines from `lines`.
  init(_ lines: inout ArraySlice<ArraySlice<UInt8>>) throws(AgeError) {
    guard let first = lines.popFirst(), first.starts(with: "-> ".utf8) else {
      throw .malformed("a line of the header is neither a stanza nor its end")
    }
    let arguments = first.dropFirst(3).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x21...0x7E).contains($0) } }) else {
      throw .malformed("a stanza of the header has invalid arguments")
    }
    self.arguments = arguments.map { String(decoding: $0, as: UTF8.self) }
    var digits: [UInt8] = []
    while true {
      guard let line = lines.popFirst(), line.count <= Self.lineLength else {
        throw .malformed("a stanza of the header has no last line, or one that is too long")
      }
      digits += line
      if line.count < Self.lineLength { break }
    }
    guard let body = Base64.bytes(of: digits) else {
      throw .malformed("a stanza of the header is not canonical base64")
    }
    self.body = body
  }

  init(_ arguments: [String], body: [UInt8]) {
    self.arguments = arguments
    self.body = body
  }
}
