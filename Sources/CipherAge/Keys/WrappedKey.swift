internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What can get the file key out of a header.
protocol FileKeyUnwrapping: Sendable {
  /// The file key; nil if none of the stanzas was made for this key. Throws if one of its kind is malformed.
  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> SymmetricKey?
}

/// A file key under a key that is used once: hence the nonce of zeros.
enum WrappedKey {
  static let size = 32

  static func seal(_ fileKey: SymmetricKey, _ key: SymmetricKey) throws -> [UInt8] {
    let bytes = unsafe fileKey.withUnsafeBytes { unsafe Array($0) }
    return Array(try ChaChaPoly.seal(bytes, using: key, nonce: nonce()).combined.dropFirst(12))
  }

  /// The file key, or nil if it is under another key.
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
