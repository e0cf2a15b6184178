internal import Crypto

/// The SHA-256 of a file's plain content: the same on every replica, and the only name that a version has everywhere.
public struct Digest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The digest of `bytes`.
  public init(of bytes: some Collection<UInt8>) {
    var hasher = DigestHasher()
    hasher.update(Array(bytes))
    self = hasher.finish()
  }

  /// The digest that is written as these 32 bytes, or nil if they are not 32.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// The digest that stands in memory as these 32 bytes, or nil if they are not 32; for tables of a million rows.
  public init?(memory: UnsafeRawBufferPointer) {
    guard memory.count == 32 else { return nil }
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: unsafe memory.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    self.words = (word(0), word(1), word(2), word(3))
  }

  /// The digest with these 64 hexadecimal digits, or nil if the text is anything else.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.compactMap(Self.value(ofDigit:))
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    self.init(bytes: stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The 32 bytes of the digest.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    for word in [words.0, words.1, words.2, words.3] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return bytes
  }

  /// The digest of a file of length zero.
  public static let empty = Digest(of: [])

  public static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: Comparable {
  /// The order of the digests' bytes; it decides ties, so that every device decides them alike.
  public static func < (a: Digest, b: Digest) -> Bool { a.words < b.words }
}

extension Digest: CustomStringConvertible {
  /// The 64 hexadecimal digits.
  public var description: String { hexadecimal(bytes) }

  /// The first digits, enough for people to tell versions apart.
  public var short: String { String(description.prefix(8)) }
}

/// Computes a digest while content streams by.
public struct DigestHasher: Sendable {
  private var hash = SHA256()

  public init() {}

  /// Adds the next bytes of the content.
  public mutating func update(_ chunk: [UInt8]) { hash.update(data: chunk) }

  /// The digest of all bytes so far.
  public consuming func finish() -> Digest {
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in hash.finalize().enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    return Digest(words: (words[0], words[1], words[2], words[3]))
  }
}

extension Digest {
  fileprivate init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }
}
