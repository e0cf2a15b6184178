package import Crypto

/// Encrypts a whole text in chunks, so that the parts of it can be neither exchanged nor left out: age's STREAM with
/// ChaCha20-Poly1305. A key encrypts one text only.
package enum Seal {
  /// The number of bytes that encrypting adds to a chunk.
  static let tagSize = 16
  /// The size of a chunk of plain text; only the last one may be shorter.
  static let chunkSize = 65_536

  /// Returns the size of the encrypted text.
  static func size(of plain: Int) -> Int { plain + tagSize * max(1, (plain + chunkSize - 1) / chunkSize) }

  package static func encrypt(_ plain: [UInt8], with key: SymmetricKey) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(size(of: plain.count))
    var (start, number): (Int, UInt64) = (0, 0)
    repeat {
      let end = min(start + chunkSize, plain.count)
      // Only a wrong nonce or key size can fail, and both are constant.
      guard
        let box = try? ChaChaPoly.seal(
          plain[start..<end], using: key, nonce: nonce(number, isLast: end == plain.count))
      else { preconditionFailure("ChaCha20-Poly1305 refused a key of 32 bytes") }
      sealed += box.ciphertext
      sealed += box.tag
      (start, number) = (end, number + 1)
    } while start < plain.count
    return sealed
  }

  /// Throws if a single bit is wrong, or the text is cut.
  package static func decrypt(_ sealed: some Collection<UInt8>, with key: SymmetricKey) throws(FormatError) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(sealed.count)
    var (rest, number): ([UInt8], UInt64) = (Array(sealed), 0)
    var start = 0
    repeat {
      let end = min(start + chunkSize + tagSize, rest.count)
      guard end - start >= tagSize else { throw FormatError("it is cut") }
      let isLast = end == rest.count
      guard
        let box = try? ChaChaPoly.SealedBox(
          nonce: nonce(number, isLast: isLast), ciphertext: rest[start..<end - tagSize],
          tag: rest[(end - tagSize)..<end]),
        let chunk = try? ChaChaPoly.open(box, using: key)
      else { throw FormatError("it was not encrypted with this secret, or was altered") }
      guard !chunk.isEmpty || (isLast && number == 0) else { throw FormatError("it has an empty end") }
      plain += chunk
      (start, number) = (end, number + 1)
    } while start < rest.count
    rest = []
    return plain
  }

  private static func nonce(_ number: UInt64, isLast: Bool) throws -> ChaChaPoly.Nonce {
    var writer = ByteWriter()
    writer.write(fixed: 0, length: 3)
    writer.write(fixed: number, length: 8)
    writer.write(byte: isLast ? 1 : 0)
    return try ChaChaPoly.Nonce(data: writer.bytes)
  }
}
