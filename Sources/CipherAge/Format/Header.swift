internal import Crypto

/// The header of an age file: its recipients, and an authentication code (age-encryption.org/v1).
struct Header: Sendable {
  static let newline = UInt8(ascii: "\n")
  static let version = Array("age-encryption.org/v1".utf8)
  private static let mark = Array("---".utf8)
  /// The maximum size: each stanza costs work before anything is authenticated.
  static let largest = 64 << 10

  var stanzas: [Stanza]
  /// The authenticated bytes: everything up to and including the three dashes.
  private let proved: [UInt8]
  private let code: [UInt8]

  /// Creates the header with these stanzas, which wrap `fileKey`.
  init(_ stanzas: [Stanza], fileKey: SymmetricKey) {
    self.stanzas = stanzas
    proved = Self.version + [Self.newline] + stanzas.flatMap(\.text) + Self.mark
    code = Self.code(of: proved, fileKey)
  }

  /// Parses a complete header.
  init(_ bytes: [UInt8]) throws(AgeError) {
    var lines = bytes.split(separator: Self.newline, omittingEmptySubsequences: false)[...]
    guard lines.popFirst().map({ $0.elementsEqual(Self.version) }) == true else { throw .notAge }
    guard lines.popLast()?.isEmpty == true, let end = lines.popLast(), end.starts(with: Self.mark + Array(" ".utf8)),
      let code = Base64.bytes(of: end.dropFirst(4)), code.count == 32
    else { throw .malformed("the header has no valid end") }
    stanzas = []
    while !lines.isEmpty { stanzas.append(try Stanza(&lines)) }
    guard !stanzas.isEmpty else { throw .malformed("the header has no recipient") }
    proved = Array(bytes.dropLast(end.count + 1)) + Self.mark
    self.code = code
  }

  /// The header as written to a file.
  var text: [UInt8] { proved + Array(" ".utf8) + Base64.text(of: code) + [Self.newline] }

  /// Throws if the header was not created with this file key.
  func verify(_ fileKey: SymmetricKey) throws(AgeError) {
    guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: proved, using: Self.key(fileKey)) else {
      throw .damaged
    }
  }

  private static func code(of bytes: [UInt8], _ fileKey: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key(fileKey)))
  }

  private static func key(_ fileKey: SymmetricKey) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: fileKey, info: Array("header".utf8), outputByteCount: 32)
  }
}

/// Collects a header from a stream.
struct HeaderReader: Sendable {
  private var bytes: [UInt8] = []
  /// The start of the incomplete line.
  private var line = 0

  /// Adds the next bytes; returns the header once it is complete, with the bytes after it.
  mutating func read(_ chunk: [UInt8]) throws(AgeError) -> (header: Header, rest: ArraySlice<UInt8>)? {
    bytes += chunk
    guard Self.begins(bytes) else { throw .notAge }
    while let end = bytes[line...].firstIndex(of: Header.newline) {
      let isLast = bytes[line..<end].starts(with: "---".utf8)
      line = end + 1
      guard line <= Header.largest else { break }
      if isLast { return (try Header(Array(bytes[..<line])), bytes[line...]) }
    }
    guard bytes.count <= Header.largest else { throw .malformed("the header is too long") }
    return nil
  }

  /// Returns true if `bytes` may be the beginning of an age file.
  static func begins(_ bytes: [UInt8]) -> Bool {
    zip(bytes, Header.version + [Header.newline]).allSatisfy(==)
  }
}
