package import Crypto
internal import SyncKit

/// The secret that the devices of a mesh share: who has it takes part and reads everything.
package struct MeshSecret: Sendable {
  private let bytes: [UInt8]

  /// A new secret.
  /// - Parameter random: Returns that number of random bytes.
  package init(random: (Int) -> [UInt8]) { bytes = random(Self.size) }

  /// Parses the text of a secret. Returns nil if it is not one, or has a typing mistake. Spaces and upper case do not matter.
  package init?(text: String) {
    let letters = text.lowercased().filter { !$0.isWhitespace }
    guard letters.hasPrefix(Self.prefix), let bytes = Base32.decode(letters.dropFirst(Self.prefix.count)),
      bytes.count == Self.size + Self.checksumSize
    else { return nil }
    self.bytes = Array(bytes.prefix(Self.size))
    guard checksum == bytes.suffix(Self.checksumSize) else { return nil }
  }

  /// The secret as people copy it, with a checksum against typing mistakes.
  package var text: String { Self.prefix + Base32.encode(bytes + checksum) }

  private static let prefix = "sy1-"
  private static let size = 32
  private static let checksumSize = 4

  private var checksum: ArraySlice<UInt8> {
    SyncKit.Digest(of: Array("syncd mesh secret".utf8) + bytes).bytes.prefix(Self.checksumSize)
  }

  /// The purpose of a key.
  package enum Purpose: String, Sendable {
    /// Proves to a peer that this device has the secret.
    case link
    /// Encrypts heads.
    case head
    /// Encrypts tables.
    case table
    /// Encrypts contents.
    case blob
    /// Names contents.
    case name
  }

  /// Returns the key for a purpose (HKDF-SHA256, RFC 5869).
  package func key(_ purpose: Purpose) -> SymmetricKey { derived(purpose.rawValue, length: 32) }

  /// The number by which devices find each other: 20 bytes that say nothing about the secret.
  package var swarm: [UInt8] { unsafe derived("swarm", length: 20).withUnsafeBytes { unsafe Array($0) } }

  private func derived(_ purpose: String, length: Int) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), info: Array("syncd-mesh-1 \(purpose)".utf8),
      outputByteCount: length)
  }
}

/// Base32 (RFC 4648) in lower case and without padding.
enum Base32 {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var (text, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(letters[Int(buffer >> bits & 31)])
      }
    }
    if bits > 0 { text.append(letters[Int(buffer << (5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns nil unless `text` is what `encode` returns for some bytes.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var (bytes, buffer, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for letter in text.utf8 {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    return encode(bytes) == String(text) ? bytes : nil
  }
}
