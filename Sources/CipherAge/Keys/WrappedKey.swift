internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A key that can unwrap the file key in a header.
protocol FileKeyUnwrapping: Sendable {
  /// Returns the file key; nil if no stanza was made for this key. Throws if a stanza of its type is malformed.
  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> SymmetricKey?
}

/// A file key that is encrypted with a one-time key; therefore the nonce is zero.
enum WrappedKey {
  static let size = 32

  static func seal(_ fileKey: SymmetricKey, _ key: SymmetricKey) throws -> [UInt8] {
    let bytes = unsafe fileKey.withUnsafeBytes { unsafe Array($0) }
    return Array(try ChaChaPoly.seal(bytes, using: key, nonce: nonce()).combined.dropFirst(12))
  }

  /// Returns the file key, or nil if another key encrypted it.
  static func open(_ bytes: [UInt8], _ key: SymmetricKey) -> SymmetricKey? {
    guard bytes.count == size else { return nil }
    do {
      let box = try ChaChaPoly.SealedBox(nonce: nonce(), ciphertext: bytes.prefix(16), tag: bytes.suffix(16))
      return SymmetricKey(data: try ChaChaPoly.open(box, using: key))
    } catch { return nil }
  }

  static func nonce() throws -> ChaChaPoly.Nonce {
    try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
  }
}
