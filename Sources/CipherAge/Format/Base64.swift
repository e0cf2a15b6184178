/// Base 64 as the age format requires it: only canonical text is valid, so that an encrypted file has only one form (RFC 4648,
/// section 3.5).
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let pad = UInt8(ascii: "=")

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// Encodes `bytes`, with padding if `padded`.
  static func text(of bytes: some Collection<UInt8>, padded: Bool = false) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
    while padded, text.count % 4 != 0 { text.append(pad) }
    return text
  }

  /// Decodes `text`; returns nil unless it is canonical.
  static func bytes(of text: some Collection<UInt8>, padded: Bool = false) -> [UInt8]? {
    var digits = Array(text)
    if padded {
      guard digits.count % 4 == 0 else { return nil }
      for _ in 0..<2 where digits.last == pad { digits.removeLast() }
    }
    guard digits.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for digit in digits {
      let value = values[Int(digit)]
      guard value != 0xFF else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // Unused bits must be zero.
    return bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
