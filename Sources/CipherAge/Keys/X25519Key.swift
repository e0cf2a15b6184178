internal import Crypto

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A recipient of encrypted files: a public key, `age1…`.
struct Recipient: Hashable, Sendable {
  static let kind = "age"

  let bytes: [UInt8]

  /// Parses a public key; returns nil if the text is invalid.
  init?(_ text: String) {
    guard let (kind, bytes) = Bech32.read(text), kind == Self.kind, bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  var text: String { Bech32.text(of: bytes, kind: Self.kind) }

  /// Returns a stanza that wraps the file key for this recipient.
  func wrap(_ fileKey: SymmetricKey, random: (Int) -> [UInt8]) throws -> Stanza {
    let ephemeral = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random(32))
    let share = Array(ephemeral.publicKey.rawRepresentation)
    let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    let key = X25519.key(from: try ephemeral.sharedSecretFromKeyAgreement(with: recipient), share, bytes)
    return Stanza(
      [X25519.kind, String(decoding: Base64.text(of: share), as: UTF8.self)], body: try WrappedKey.seal(fileKey, key))
  }
}

/// A secret key, `AGE-SECRET-KEY-1…`.
struct Identity: Sendable, FileKeyUnwrapping {
  static let kind = "AGE-SECRET-KEY-"

  private let secret: Curve25519.KeyAgreement.PrivateKey

  /// Parses a secret key; returns nil if the text is invalid.
  init?(_ text: String) {
    guard let (kind, bytes) = Bech32.read(text), kind == Self.kind else { return nil }
    self.init(bytes: bytes)
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    do { secret = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) } catch { return nil }
  }

  var recipient: Recipient { Recipient(bytes: Array(secret.publicKey.rawRepresentation)) }

  /// The key in the format of `age-keygen`.
  var text: String { Bech32.text(of: Array(secret.rawRepresentation), kind: Self.kind.lowercased()).uppercased() }

  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> SymmetricKey? {
    for stanza in stanzas where stanza.arguments[0] == X25519.kind {
      guard stanza.arguments.count == 2, let share = Base64.bytes(of: Array(stanza.arguments[1].utf8)),
        share.count == 32, stanza.body.count == WrappedKey.size
      else { throw .malformed("a stanza for a public key is invalid") }
      let agreed: SharedSecret
      do {
        agreed = try secret.sharedSecretFromKeyAgreement(
          with: Curve25519.KeyAgreement.PublicKey(rawRepresentation: share))
      } catch { throw X25519.badShare }
      guard !X25519.isKnownToAll(agreed) else { throw X25519.badShare }
      if let fileKey = WrappedKey.open(stanza.body, X25519.key(from: agreed, share, recipient.bytes)) { return fileKey }
    }
    return nil
  }
}

enum X25519 {
  static let kind = "X25519"
  fileprivate static let badShare = AgeError.malformed("a stanza for a public key has an invalid share")

  /// True for a shared secret of zero, which a share of low order produces with any key.
  static func isKnownToAll(_ agreed: SharedSecret) -> Bool {
    unsafe agreed.withUnsafeBytes { unsafe $0.reduce(0, |) == 0 }
  }

  static func key(from agreed: SharedSecret, _ share: [UInt8], _ recipient: [UInt8]) -> SymmetricKey {
    agreed.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: share + recipient, sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
      outputByteCount: 32)
  }
}
