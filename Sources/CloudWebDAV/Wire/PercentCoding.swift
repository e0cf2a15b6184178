/// Percent-encodes paths in URLs (RFC 3986, 2.3).
enum PercentCoding {
  private static let plain: Set<UInt8> = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Encodes a path, with a slash before each component; `/` for none. Everything except unreserved characters is escaped,
  /// because servers disagree about the rest.
  static func path(_ parts: [[UInt8]]) -> String {
    guard !parts.isEmpty else { return "/" }
    var bytes: [UInt8] = []
    for part in parts {
      bytes.append(UInt8(ascii: "/"))
      for byte in part {
        if plain.contains(byte) {
          bytes.append(byte)
        } else {
          bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the decoded components of a path without empty ones. Escapes may be in either case, and raw UTF-8 is accepted.
  static func parts(of path: some StringProtocol) -> [[UInt8]] {
    Array(path.utf8).split(separator: UInt8(ascii: "/")).map(decoded)
  }

  private static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = value(rest[rest.startIndex]),
        let low = value(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
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
