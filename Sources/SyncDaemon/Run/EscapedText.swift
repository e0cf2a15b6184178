/// Text of a command line, in which bytes that it cannot hold are written as syncd prints them, `\xNN`.
package enum EscapedText {
  /// The text of an argument as the system passes it: bytes that are not UTF-8 are escaped.
  package static func text(of argument: [UInt8]) -> String {
    var text = ""
    var rest = argument[...]
    while let first = rest.first {
      var decoder = UTF8()
      var iterator = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        text += "\\x" + String(first, radix: 16, uppercase: false)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The bytes that were meant.
  package static func bytes(of text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.dropFirst().prefix(2)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), isPrintedEscaped(value)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// Returns true if a byte may stand escaped in what is printed; other bytes after a backslash are meant as they are.
  private static func isPrintedEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x7F }
}
