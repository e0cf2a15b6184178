/// Percent-encodes parts of URLs (RFC 3986, 2.1). Everything except unreserved characters is escaped once, in capitals, because
/// servers disagree about the rest.
package enum PercentCoding {
  private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)
  private static let slash = UInt8(ascii: "/")

  /// Returns the encoded bytes.
  ///
  /// - Parameter keepsSlashes: true for a path, whose slashes stay
  package static func encoded(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool = false) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if plain.contains(byte) || keepsSlashes && byte == slash {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the decoded bytes. Escapes may be in either case; a `%` without two digits stays.
  ///
  /// - Parameter decodesPlus: true for the encoding of forms, where `+` is a space
  package static func decoded(_ text: some Collection<UInt8>, decodesPlus: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = value(rest[rest.startIndex]),
        let low = value(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(decodesPlus && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }

  /// Returns a path with a slash before each component; `/` for none.
  package static func path(_ parts: [[UInt8]]) -> String {
    parts.isEmpty ? "/" : parts.map { "/" + encoded($0) }.joined()
  }

  /// Returns the decoded components of a path without empty ones. Raw UTF-8 is accepted.
  package static func parts(of path: some StringProtocol) -> [[UInt8]] {
    Array(path.utf8).split(separator: slash).map { decoded($0) }
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
