internal import Crypto
internal import CryptoExtras

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A passphrase. Trying one intentionally costs time and memory.
struct ScryptKey: Sendable, FileKeyUnwrapping {
  static let kind = "scrypt"
  private static let saltSize = 16
  /// The maximum work factor for a file from an untrusted source: 256 MiB of memory, the default of `age -p`.
  static let largestWork = 18

  let passphrase: [UInt8]

  /// Returns a stanza that wraps the file key; `work` is the logarithm of the number of rounds.
  func wrap(_ fileKey: SymmetricKey, work: Int, random: (Int) -> [UInt8]) throws -> Stanza {
    let salt = random(Self.saltSize)
    let arguments = [Self.kind, String(decoding: Base64.text(of: salt), as: UTF8.self), "\(work)"]
    return Stanza(arguments, body: try WrappedKey.seal(fileKey, key(salt: salt, work: work)))
  }

  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> SymmetricKey? {
    guard let stanza = stanzas.first, stanza.arguments[0] == Self.kind else { return nil }
    guard stanza.arguments.count == 3, let salt = Base64.bytes(of: Array(stanza.arguments[1].utf8)),
      salt.count == Self.saltSize, stanza.body.count == WrappedKey.size
    else { throw .malformed("the stanza for a passphrase is invalid") }
    let work = stanza.arguments[2]
    guard let number = Int(work), number > 0, work == "\(number)" else {
      throw .malformed("the stanza for a passphrase has no work factor")
    }
    guard number <= Self.largestWork else { throw .malformed("the work factor of the passphrase is too large") }
    do { return WrappedKey.open(stanza.body, try key(salt: salt, work: number)) } catch {
      throw .malformed("cannot derive a key from the passphrase: \(error)")
    }
  }

  private func key(salt: [UInt8], work: Int) throws -> SymmetricKey {
    try KDF.Scrypt.deriveKey(
      from: passphrase, salt: Array("age-encryption.org/v1/scrypt".utf8) + salt, outputByteCount: 32,
      rounds: 1 << work, blockSize: 8, parallelism: 1)
  }
}
