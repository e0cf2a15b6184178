/// Percent-encodes keys and query values as the signature requires: everything except unreserved characters (RFC 3986, 2.3) is
/// escaped once, in capitals.
enum PercentEncoding {
  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes a key; slashes stay.
  static func key(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, keepingSlashes: true) }

  /// Encodes a name or value of a query.
  static func query(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, keepingSlashes: false) }

  private static func encoded(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if plain.contains(byte) || keepingSlashes && byte == UInt8(ascii: "/") {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes a key of a listing with `encoding-type=url`, where `+` is a space.
  static func decoded(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = value(rest[rest.startIndex]),
        let low = value(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? { Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) }
}
