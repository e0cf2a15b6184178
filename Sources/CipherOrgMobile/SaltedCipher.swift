internal import Crypto
internal import CryptoExtras
internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file format of `openssl enc -salt`: `Salted__`, eight bytes of salt, AES-256 in CBC mode with PKCS#7 padding. OpenSSL's
/// EVP_BytesToKey derives key and IV from the password in one round.
///
/// The format authenticates neither the file nor the password. The padding reveals a wrong password in all but one of 256
/// cases; the reader must check the decrypted content.
struct SaltedCipher: Cipher {
  /// The hash of the key derivation: MD5 since Org 9.0.10, SHA-256 if an older Org used OpenSSL 1.1.
  enum Derivation: CaseIterable {
    case md5, sha256
  }

  private static let magic = Array("Salted__".utf8)
  private static let saltSize = 8
  private static let blockSize = 16
  private static let keySize = 32

  let id = OpenSSL.id
  let password: [UInt8]
  let random: @Sendable (Int) -> [UInt8]

  func isEncrypted(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Self.magic) }

  func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream {
    WholeFileStream { bytes throws(SyncError) in try seal(bytes, salt: random(Self.saltSize)) }
  }

  func decryptor() throws(SyncError) -> any CipherStream {
    WholeFileStream { bytes throws(SyncError) in try open(bytes) }
  }

  func seal(_ bytes: [UInt8], salt: [UInt8]) throws(SyncError) -> [UInt8] {
    let (key, iv) = keys(salt: salt, .md5)
    do {
      return try Self.magic + salt + AES._CBC.encrypt(bytes, using: key, iv: AES._CBC.IV(ivBytes: iv))
    } catch { throw SyncError(.unexpected, "cannot be encrypted", cause: "\(error)") }
  }

  private func open(_ bytes: [UInt8]) throws(SyncError) -> [UInt8] {
    let head = Self.magic.count + Self.saltSize
    let sealed = bytes.dropFirst(head)
    guard isEncrypted(bytes), !sealed.isEmpty, sealed.count.isMultiple(of: Self.blockSize) else {
      throw SyncError(.pathFailed, "is not a complete file of openssl; it is truncated or still being written")
    }
    let salt = Array(bytes[Self.magic.count..<head])
    let readings = Derivation.allCases.compactMap { open(sealed, salt: salt, $0) }
    // If both decrypt by accident, only one is text.
    guard let plain = readings.first(where: { String(validating: $0, as: UTF8.self) != nil }) ?? readings.first else {
      throw SyncError(
        .unauthorized, "cannot be decrypted: the password is not the one in Emacs, or the file is damaged")
    }
    return plain
  }

  private func open(_ sealed: ArraySlice<UInt8>, salt: [UInt8], _ derivation: Derivation) -> [UInt8]? {
    let (key, iv) = keys(salt: salt, derivation)
    // Invalid padding is not an error here: it is one of two derivations, or a wrong password, which the caller reports.
    return (try? AES._CBC.decrypt(Array(sealed), using: key, iv: AES._CBC.IV(ivBytes: iv))).map(Array.init)
  }

  /// EVP_BytesToKey: hashes the previous digest, the password and the salt, until there are enough bytes.
  private func keys(salt: [UInt8], _ derivation: Derivation) -> (key: SymmetricKey, iv: [UInt8]) {
    var material: [UInt8] = []
    var last: [UInt8] = []
    while material.count < Self.keySize + Self.blockSize {
      let input = last + password + salt
      last = derivation == .md5 ? Array(Insecure.MD5.hash(data: input)) : Array(SHA256.hash(data: input))
      material += last
    }
    let key = SymmetricKey(data: material.prefix(Self.keySize))
    return (key, Array(material[Self.keySize..<Self.keySize + Self.blockSize]))
  }
}
