internal import Crypto

/// `checksums.dat`: what the last push says the files hold. Digests are over the clear text.
struct ChecksumList: Hashable, Sendable {
  /// One line: hexadecimal digits and the name, literally.
  struct Line: Hashable, Sendable {
    var digest: String
    var name: Bytes
  }

  var lines: [Line] = []

  init() {}

  /// Reads `DIGEST  NAME` lines, and `MD5 (NAME) = DIGEST` as people write them by hand.
  init(_ bytes: Bytes) { lines = bytes.textLines.compactMap(Self.line) }

  private static func line(_ bytes: Bytes) -> Line? {
    let digits = bytes.prefix { $0.isHexadecimal }.count
    if digits == 32 || digits == 40, bytes.count > digits + 2, bytes[digits] == 0x20 {
      // Everything behind two blanks is the name, blanks included; the second one is a star for binary files.
      return Line(digest: Bytes(bytes[..<digits]).lowercased.string, name: Bytes(bytes[(digits + 2)...]))
    }
    guard bytes.starts(with: "MD5 ("), let middle = bytes.firstRange(of: Bytes(") = ".utf8)) else { return nil }
    return Line(digest: Bytes(bytes[middle.upperBound...]).lowercased.string, name: Bytes(bytes[5..<middle.lowerBound]))
  }

  /// What the list says of a file.
  subscript(name: Bytes) -> String? { lines.first { $0.name == name }?.digest }

  var names: [Bytes] { lines.map(\.name) }

  /// Returns true if a file holds what the list says; nil if the list says nothing of it.
  ///
  /// A desktop that writes CR LF has MD5 over the text with line feeds (measured), so either form counts.
  func verifies(_ bytes: Bytes, as name: Bytes) -> Bool? {
    let expected = lines.filter { $0.name == name }.map(\.digest)
    guard !expected.isEmpty else { return nil }
    return expected.contains { digest in
      digest == Self.digest(of: bytes, digits: digest.count)
        || digest == Self.digest(of: bytes.filter { $0 != 0x0D }, digits: digest.count)
    }
  }

  /// The digest with this number of digits: MD5 has 32, SHA-1 has 40.
  static func digest(of bytes: Bytes, digits: Int) -> String {
    let digest = digits == 40 ? Bytes(Insecure.SHA1.hash(data: bytes)) : Bytes(Insecure.MD5.hash(data: bytes))
    let letters = Bytes("0123456789abcdef".utf8)
    return digest.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }.string
  }

  /// The line of a file that is the protocol's own, which has MD5.
  static func line(_ name: String, _ bytes: Bytes) -> Line {
    Line(digest: digest(of: bytes, digits: 32), name: Bytes(name.utf8))
  }

  var bytes: Bytes { lines.map { Bytes($0.digest.utf8) + [0x20, 0x20] + $0.name }.text }
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool { Character(UnicodeScalar(self)).isHexDigit && self < 0x80 }
}
