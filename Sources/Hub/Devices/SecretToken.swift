internal import Crypto
internal import SyncKit

/// A random secret of 256 bits, as text for a cookie or an address. Only its digest is stored.
enum SecretToken {
  /// Returns a new secret.
  static func new() -> String {
    var generator = SystemRandomNumberGenerator()
    return Base32.text(of: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The digest by which a secret is found. A lookup by digest takes a time that says nothing about the secret.
  static func digest(of token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }
}
