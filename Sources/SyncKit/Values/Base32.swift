/// Bytes as text in base 32: the alphabet of RFC 4648, section 6, in lower case and without padding.
package enum Base32 {
  private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Returns the text of bytes.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        text.append(digits[Int(bits >> count & 31)])
      }
    }
    if count > 0 { text.append(digits[Int(bits << (5 - count) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; nil unless `text(of:)` returns this text for some bytes.
  package static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for digit in text {
      guard let value = digits.firstIndex(of: digit) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return count < 5 && bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
