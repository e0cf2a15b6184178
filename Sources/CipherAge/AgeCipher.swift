internal import Crypto
internal import SyncKit

/// The age format as a cipher. The label is in a separate stanza of the header, which other programs ignore.
///
/// With recipients the format proves that a file is complete, not who wrote it: anyone can copy a stanza of another file into a
/// new header. `EncryptedStorage` proves the author by the content of the label.
struct AgeCipher: Cipher {
  /// The keys that decrypt files, and those that files are encrypted for.
  enum Keys: Sendable {
    case pairs(identities: [Identity], recipients: [Recipient])
    /// Encrypts only the remote's key, from which a key pair for its files is derived: trying a passphrase takes a second and
    /// much memory, and a header with a passphrase stanza may not have others.
    case passphrase(ScryptKey)
  }

  /// The stanza with the label, which is encrypted with a key derived from the file key.
  static let labelKind = "syncd/label/2"
  /// The label's stanza in the former format, not encrypted.
  static let formerLabelKind = "syncd/label"
  /// The scrypt work factor as a logarithm: 128 MiB, and some tenths of a second.
  static let work = 17

  let id = Age.id
  var hidesNames = false
  let keys: Keys
  let random: @Sendable (Int) -> [UInt8]
  var armored = false
  var work = Self.work

  init(keys: Keys, random: @escaping @Sendable (Int) -> [UInt8]) {
    self.keys = keys
    self.random = random
  }

  func isEncrypted(_ start: [UInt8]) -> Bool {
    (start.count >= Header.version.count && HeaderReader.begins(start))
      || (start.count >= Armor.begin.count && Armor.begins(start))
  }

  func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream {
    do {
      return EncryptingStream(
        encryption: try Sealing(random: random, armored: armored) { fileKey in
          try stanzas(fileKey) + (label.isEmpty ? [] : [Self.stanza(of: label, fileKey)])
        })
    } catch { throw SyncError(.unexpected, "cannot be encrypted on this machine", cause: "\(error)") }
  }

  func decryptor() throws(SyncError) -> any CipherStream {
    switch keys {
    case .pairs(let identities, _): DecryptingStream(decryption: Opening(with: identities))
    case .passphrase(let key): DecryptingStream(decryption: Opening(with: [key]))
    }
  }

  func keyed(by key: [UInt8]) throws(SyncError) -> any Cipher {
    guard case .passphrase = keys else { return self }
    let identity = identity(from: key)
    var cipher = AgeCipher(
      keys: .pairs(identities: [identity], recipients: [identity.recipient]), random: random)
    cipher.hidesNames = hidesNames
    return cipher
  }

  func note(for key: [UInt8]) -> String {
    guard case .passphrase = keys else { return "" }
    return identity(from: key).text + "\n"
  }

  private static func stanza(of label: [UInt8], _ fileKey: SymmetricKey) throws -> Stanza {
    let box = try ChaChaPoly.seal(label, using: labelKey(fileKey), nonce: WrappedKey.nonce())
    return Stanza([labelKind], body: Array(box.combined.dropFirst(12)))
  }

  /// The label in a header with this file key.
  static func label(in stanzas: [Stanza], _ fileKey: SymmetricKey) -> [UInt8]? {
    guard let body = stanzas.first(where: { $0.arguments == [labelKind] })?.body else {
      return stanzas.first { $0.arguments == [formerLabelKind] }?.body
    }
    do {
      let box = try ChaChaPoly.SealedBox(nonce: WrappedKey.nonce(), ciphertext: body.dropLast(16), tag: body.suffix(16))
      return Array(try ChaChaPoly.open(box, using: labelKey(fileKey)))
    } catch { return nil }
  }

  /// The key is used only once, like the file key; therefore the nonce is zero.
  private static func labelKey(_ fileKey: SymmetricKey) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: fileKey, info: Array(labelKind.utf8), outputByteCount: 32)
  }

  private func identity(from key: [UInt8]) -> Identity {
    let secret = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: key), info: Array("syncd/1/age identity".utf8), outputByteCount: 32)
    guard let identity = Identity(bytes: unsafe secret.withUnsafeBytes { unsafe Array($0) }) else {
      preconditionFailure("any 32 bytes are a secret key")
    }
    return identity
  }

  private func stanzas(_ fileKey: SymmetricKey) throws -> [Stanza] {
    switch keys {
    case .pairs(_, let recipients): try recipients.map { try $0.wrap(fileKey, random: random) }
    case .passphrase(let key): [try key.wrap(fileKey, work: work, random: random)]
    }
  }
}

private struct EncryptingStream: CipherStream {
  var encryption: Sealing
  let label: [UInt8]? = nil

  mutating func update(_ chunk: [UInt8], into output: CipherOutput) async throws(SyncError) {
    let bytes: [UInt8]
    do { bytes = try encryption.update(chunk) } catch { throw Self.failed(error) }
    if !bytes.isEmpty { try await output(bytes) }
  }

  mutating func finish(into output: CipherOutput) async throws(SyncError) {
    let bytes: [UInt8]
    do { bytes = try encryption.finish() } catch { throw Self.failed(error) }
    try await output(bytes)
  }

  private static func failed(_ error: any Error) -> SyncError {
    SyncError(.unexpected, "cannot be encrypted on this machine", cause: "\(error)")
  }
}

private struct DecryptingStream: CipherStream {
  var decryption: Opening
  private(set) var label: [UInt8]?

  init(decryption: Opening) { self.decryption = decryption }

  mutating func update(_ chunk: [UInt8], into output: CipherOutput) async throws(SyncError) {
    let bytes: [UInt8]
    do throws(AgeError) { bytes = try decryption.update(chunk) } catch { throw SyncError(error) }
    if !bytes.isEmpty { try await output(bytes) }
  }

  mutating func finish(into output: CipherOutput) async throws(SyncError) {
    let bytes: [UInt8]
    do throws(AgeError) { bytes = try decryption.finish() } catch { throw SyncError(error) }
    if !bytes.isEmpty { try await output(bytes) }
    label = decryption.fileKey.flatMap { AgeCipher.label(in: decryption.stanzas, $0) }
  }
}

extension SyncError {
  init(_ error: AgeError) {
    switch error {
    case .notAge: self.init(.suspect, "is not a file of age")
    case .malformed(let what): self.init(.suspect, "is not a valid file of age: \(what)")
    case .readers(let what): self.init(.suspect, what)
    case .noKey: self.init(.unauthorized, "was encrypted for other keys than those of this device")
    case .damaged: self.init(.suspect, "is damaged, truncated, or was changed without its key")
    }
  }
}
