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
    guard letters.hasPrefix(Self.prefix), let bytes = Base32.bytes(of: letters.dropFirst(Self.prefix.count).utf8),
      bytes.count == Self.size + Self.checksumSize
    else { return nil }
    self.bytes = Array(bytes.prefix(Self.size))
    guard checksum == bytes.suffix(Self.checksumSize) else { return nil }
  }

  /// The secret as people copy it, with a checksum against typing mistakes.
  package var text: String { Self.prefix + Base32.text(of: bytes + checksum) }

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
