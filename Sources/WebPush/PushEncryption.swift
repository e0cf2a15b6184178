internal import Crypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encrypts a message so that only the browser of a subscription can open it (RFC 8291; the form `aes128gcm` of RFC 8188, one record).
package enum PushEncryption {
  /// The largest text in bytes: a push service may refuse a body of more than 4,096 bytes (RFC 8030, section 7.2).
  package static let largest = 3_900
  private static let recordSize: UInt32 = 4_096
  private static let tagSize = 16

  /// Returns the body of a message.
  ///
  /// - Parameters:
  ///   - text: At most ``largest`` bytes.
  ///   - unit: The text is padded to a multiple of this size, so that its length says less about it.
  package static func encrypt(
    _ text: [UInt8], for subscription: PushSubscription, paddedTo unit: Int = 512
  ) throws -> [UInt8] {
    let salt = unsafe SymmetricKey(size: .bits128).withUnsafeBytes { unsafe Array($0) }
    let length = (text.count / unit + 1) * unit
    let padding = min(length, largest) - text.count
    return try encrypt(text, for: subscription, padding: max(0, padding), salt, P256.KeyAgreement.PrivateKey())
  }

  /// The same with a given salt of 16 bytes and key of the sender, as for the example of RFC 8291.
  static func encrypt(
    _ text: [UInt8], for subscription: PushSubscription, padding: Int, _ salt: [UInt8],
    _ own: P256.KeyAgreement.PrivateKey
  ) throws -> [UInt8] {
    let receiver = try P256.KeyAgreement.PublicKey(x963Representation: subscription.key)
    let sender = Array(own.publicKey.x963Representation)
    let shared = try own.sharedSecretFromKeyAgreement(with: receiver)
    let base = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: subscription.secret,
      sharedInfo: Array("WebPush: info\0".utf8) + subscription.key + sender, outputByteCount: 32)
    let root = HKDF<SHA256>.extract(inputKeyMaterial: base, salt: salt)
    let key = HKDF<SHA256>.expand(
      pseudoRandomKey: root, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
    let nonce = HKDF<SHA256>.expand(
      pseudoRandomKey: root, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
    // The octet 2 ends the text of the last record; zeros follow.
    let record = text + [2] + [UInt8](repeating: 0, count: padding)
    let box = try AES.GCM.seal(
      record, using: key, nonce: AES.GCM.Nonce(data: unsafe nonce.withUnsafeBytes { unsafe Data($0) }))
    let size = (0..<4).map { UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * $0)) }
    return salt + size + [UInt8(sender.count)] + sender + box.ciphertext + box.tag
  }
}
