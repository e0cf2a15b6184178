internal import Crypto

/// The SHA-256 of a file's plain content: the same on every replica, so it identifies a version everywhere.
public struct Digest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Computes the digest of `bytes`.
  public init(of bytes: some Collection<UInt8>) {
    var hasher = DigestHasher()
    hasher.update(Array(bytes))
    self = hasher.finish()
  }

  /// Creates the digest with these 32 bytes; nil if there are not 32.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// Creates the digest with these 32 bytes in memory, without a copy, for tables of a million rows; nil if there are not 32.
  public init?(memory: UnsafeRawBufferPointer) {
    guard memory.count == 32 else { return nil }
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: unsafe memory.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
    self.words = (word(0), word(1), word(2), word(3))
  }

  /// Creates the digest with these 64 hexadecimal digits; nil if the text is anything else.
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

  /// The digest of an empty file.
  public static let empty = Digest(of: [])

  public static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: Comparable {
  /// Compares the bytes. The order decides ties, in the same way on every device.
  public static func < (a: Digest, b: Digest) -> Bool { a.words < b.words }
}

extension Digest: CustomStringConvertible {
  /// The 64 hexadecimal digits.
  public var description: String { Hexadecimal.text(of: bytes) }

  /// The first 8 digits, for people.
  public var short: String { String(description.prefix(8)) }
}

/// Computes the digest of a stream of bytes.
public struct DigestHasher: Sendable {
  private var hash = SHA256()

  /// Creates a hasher of no bytes.
  public init() {}

  /// Adds the next bytes of the content.
  public mutating func update(_ chunk: [UInt8]) { hash.update(data: chunk) }

  /// Returns the digest of all bytes so far.
  public consuming func finish() -> Digest {
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in hash.finalize().enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
    return Digest(words: (words[0], words[1], words[2], words[3]))
  }
}

extension Digest {
  fileprivate init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }
}
