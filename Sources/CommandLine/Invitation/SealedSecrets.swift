import Crypto
import CryptoExtras
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Secrets in an invitation, encrypted with a passphrase: scrypt for the key, ChaCha20-Poly1305 for the content.
struct SealedSecrets: Codable, Equatable {
  /// The minimum length of a passphrase in characters: an attacker who has the invitation can try as many as they like.
  static let shortestPassphrase = 12

  private var salt: Data
  private var box: Data

  private enum CodingKeys: String, CodingKey {
    case salt = "s"
    case box = "b"
  }

  /// Returns the name of a setting's secret.
  static func name(_ remote: String, _ plugin: String, _ key: String) -> String { "\(remote)/\(plugin)/\(key)" }

  /// Encrypts secrets by their names.
  init(_ secrets: [String: String], passphrase: String) throws {
    salt = Data(Runtime.real.random(16))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    box = try ChaChaPoly.seal(try encoder.encode(secrets), using: try Self.key(passphrase, salt)).combined
  }

  /// Decrypts the secrets; returns nil if the passphrase is wrong.
  func opened(with passphrase: String) throws -> [String: String]? {
    let key = try Self.key(passphrase, salt)
    let content: Data
    do { content = try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: box), using: key) } catch { return nil }
    return try JSONDecoder().decode([String: String].self, from: content)
  }

  /// The work of scrypt takes 128 MiB and some tenths of a second.
  private static func key(_ passphrase: String, _ salt: Data) throws -> SymmetricKey {
    try KDF.Scrypt.deriveKey(
      from: Data(passphrase.utf8), salt: salt, outputByteCount: 32, rounds: 1 << 17, blockSize: 8, parallelism: 1)
  }
}
