internal import Crypto

/// `checksums.dat`: the checksums of the files at the last push, over the plain text.
struct ChecksumList: Hashable, Sendable {
  /// One line: hexadecimal digits, and the literal name.
  struct Line: Hashable, Sendable {
    var digest: String
    var name: Bytes
  }

  var lines: [Line] = []

  init() {}

  /// Parses `DIGEST  NAME` lines, and the output of the BSD tool: `MD5 (NAME) = DIGEST`.
  init(_ bytes: Bytes) { lines = bytes.textLines.compactMap(Self.line) }

  private static func line(_ bytes: Bytes) -> Line? {
    let digits = bytes.prefix { $0.isHexadecimal }.count
    if digits == 32 || digits == 40, bytes.count > digits + 2, bytes[digits] == 0x20 {
      // Everything after two characters is the name, including spaces; the second character is a star for binary files.
      return Line(digest: Bytes(bytes[..<digits]).lowercased.string, name: Bytes(bytes[(digits + 2)...]))
    }
    guard bytes.starts(with: "MD5 ("), let middle = bytes.firstRange(of: Bytes(") = ".utf8)) else { return nil }
    return Line(digest: Bytes(bytes[middle.upperBound...]).lowercased.string, name: Bytes(bytes[5..<middle.lowerBound]))
  }

  /// The checksum of a file.
  subscript(name: Bytes) -> String? { lines.first { $0.name == name }?.digest }

  var names: [Bytes] { lines.map(\.name) }

  /// Returns true if a file matches the list; nil if the file is not listed.
  ///
  /// A desktop that writes CR LF computes MD5 over the text with line feeds (measured), so either form matches.
  func verifies(_ bytes: Bytes, as name: Bytes) -> Bool? {
    let expected = lines.filter { $0.name == name }.map(\.digest)
    guard !expected.isEmpty else { return nil }
    return expected.contains { digest in
      digest == Self.digest(of: bytes, digits: digest.count)
        || digest == Self.digest(of: bytes.filter { $0 != 0x0D }, digits: digest.count)
    }
  }

  /// Returns the digest with this number of digits: MD5 has 32, SHA-1 has 40.
  static func digest(of bytes: Bytes, digits: Int) -> String {
    let digest = digits == 40 ? Bytes(Insecure.SHA1.hash(data: bytes)) : Bytes(Insecure.MD5.hash(data: bytes))
    let letters = Bytes("0123456789abcdef".utf8)
    return digest.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }.string
  }

  /// Returns the line of a file of the protocol itself, which uses MD5.
  static func line(_ name: String, _ bytes: Bytes) -> Line {
    Line(digest: digest(of: bytes, digits: 32), name: Bytes(name.utf8))
  }

  var bytes: Bytes { lines.map { Bytes($0.digest.utf8) + [0x20, 0x20] + $0.name }.text }
}

extension UInt8 {
  fileprivate var isHexadecimal: Bool { Character(UnicodeScalar(self)).isHexDigit && self < 0x80 }
}
