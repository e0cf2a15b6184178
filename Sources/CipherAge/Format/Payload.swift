internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The encryption of the content: chunks of 64 KiB, each with ChaCha20-Poly1305 and a nonce that contains the chunk's number
/// and marks the last one.
enum Payload {
  static let chunkSize = 64 << 10
  static let tagSize = 16
  static let nonceSize = 16

  static func key(_ fileKey: SymmetricKey, nonce: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: fileKey, salt: nonce, info: Array("payload".utf8), outputByteCount: 32)
  }

  static func nonce(_ number: UInt64, isLast: Bool) throws -> ChaChaPoly.Nonce {
    var bytes = [UInt8](repeating: 0, count: 12)
    for place in 0..<8 { bytes[10 - place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
    bytes[11] = isLast ? 1 : 0
    return try ChaChaPoly.Nonce(data: bytes)
  }
}

/// Splits a stream into pieces of one size, and holds the last one back, because only the end of the stream shows that it is
/// the last.
struct Pieces: Sendable {
  let size: Int
  private var rest: [UInt8] = []

  init(of size: Int) { self.size = size }

  /// Adds the next bytes, and returns the pieces that are certainly not the last.
  mutating func take(_ chunk: some Collection<UInt8>) -> [ArraySlice<UInt8>] {
    rest += chunk
    guard rest.count > size else { return [] }
    let bytes = rest
    let end = (bytes.count - 1) / size * size
    rest = Array(bytes[end...])
    return stride(from: 0, to: end, by: size).map { bytes[$0..<$0 + size] }
  }

  /// Returns the last piece, which may be shorter.
  consuming func last() -> [UInt8] { rest }
}

/// Encrypts a content as a stream.
struct PayloadSealer: Sendable {
  private let key: SymmetricKey
  private var pieces = Pieces(of: Payload.chunkSize)
  private var number: UInt64 = 0

  init(key: SymmetricKey) { self.key = key }

  mutating func update(_ chunk: [UInt8]) throws -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(chunk.count + chunk.count / 1024 + Payload.tagSize)
    for piece in pieces.take(chunk) {
      sealed += try seal(piece, isLast: false)
      number += 1
    }
    return sealed
  }

  consuming func finish() throws -> [UInt8] { Array(try seal(pieces.last()[...], isLast: true)) }

  private func seal(_ piece: ArraySlice<UInt8>, isLast: Bool) throws -> Data {
    let nonce = try Payload.nonce(number, isLast: isLast)
    return try ChaChaPoly.seal(piece, using: key, nonce: nonce).combined.dropFirst(12)
  }
}

/// Decrypts a content as a stream. Every returned byte is authenticated; only the end proves that none is missing.
struct PayloadOpener: Sendable {
  private let key: SymmetricKey
  private var pieces = Pieces(of: Payload.chunkSize + Payload.tagSize)
  private var number: UInt64 = 0

  init(key: SymmetricKey) { self.key = key }

  mutating func update(_ chunk: some Collection<UInt8>) throws(AgeError) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(chunk.count)
    for piece in pieces.take(chunk) {
      plain += try open(piece, isLast: false)
      number += 1
    }
    return plain
  }

  consuming func finish() throws(AgeError) -> [UInt8] {
    let plain = try open(pieces.last()[...], isLast: true)
    // Only an empty payload has an empty chunk.
    guard !plain.isEmpty || number == 0 else { throw .damaged }
    return Array(plain)
  }

  private func open(_ piece: ArraySlice<UInt8>, isLast: Bool) throws(AgeError) -> Data {
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: Payload.nonce(number, isLast: isLast), ciphertext: piece.dropLast(Payload.tagSize),
        tag: piece.suffix(Payload.tagSize))
      return try ChaChaPoly.open(box, using: key)
    } catch { throw .damaged }
  }
}
