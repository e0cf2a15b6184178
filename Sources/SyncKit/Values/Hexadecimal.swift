/// Bytes as text: two hexadecimal digits in lower case for each.
package enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns the text of bytes.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; nil unless `text(of:)` returns this text for some bytes.
  package static func bytes(of text: String) -> [UInt8]? {
    let values = text.utf8.compactMap { digits.firstIndex(of: $0).map(UInt8.init) }
    guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
