internal import Crypto

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

/// The alphabet of RFC 4648, section 6, in small letters and without padding.
enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  /// Returns the text of bytes.
  static func text(of bytes: some Sequence<UInt8>) -> String {
    var (text, buffer, bits) = ([UInt8](), 0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xFFFF
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[buffer >> bits & 31])
      }
    }
    if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }
}
