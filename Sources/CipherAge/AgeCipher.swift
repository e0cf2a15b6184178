internal import Crypto
internal import SyncKit

/// The age format as a cipher. A label is a stanza of its own in the header, which other programs pass over.
struct AgeCipher: Cipher {
  /// Who opens files, and for whom they are sealed.
  enum Keys: Sendable {
    case pairs(identities: [Identity], recipients: [Recipient])
    /// Seals only the remote's key, from which comes a pair that its files are sealed with: trying a passphrase takes a
    /// second and much memory, and beside one no stanza may stand.
    case passphrase(ScryptKey)
  }

  static let labelKind = "syncd/label"
  /// The logarithm of how much work it is to try a passphrase: 128 MiB, and some tenths of a second.
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

  func isSealed(_ start: [UInt8]) -> Bool {
    (start.count >= Header.version.count && HeaderReader.begins(start))
      || (start.count >= Armor.begin.count && Armor.begins(start))
  }

  func sealing(_ label: [UInt8]) throws(SyncError) -> any CipherStream {
    do {
      return SealingStream(
        sealing: try Sealing(random: random, armored: armored) { fileKey in
          try stanzas(fileKey) + (label.isEmpty ? [] : [Stanza([Self.labelKind], body: label)])
        })
    } catch { throw SyncError(.unexpected, "cannot be sealed on this machine", cause: "\(error)") }
  }

  func opening() throws(SyncError) -> any CipherStream {
    switch keys {
    case .pairs(let identities, _): OpeningStream(opening: Opening(with: identities))
    case .passphrase(let key): OpeningStream(opening: Opening(with: [key]))
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

private struct SealingStream: CipherStream {
  var sealing: Sealing
  let label: [UInt8]? = nil

  mutating func update(_ chunk: [UInt8]) throws(SyncError) -> [UInt8] {
    do { return try sealing.update(chunk) } catch { throw Self.failed(error) }
  }

  mutating func finish() throws(SyncError) -> [UInt8] {
    do { return try sealing.finish() } catch { throw Self.failed(error) }
  }

  private static func failed(_ error: any Error) -> SyncError {
    SyncError(.unexpected, "cannot be sealed on this machine", cause: "\(error)")
  }
}

private struct OpeningStream: CipherStream {
  var opening: Opening

  var label: [UInt8]? { opening.stanzas.first { $0.arguments == [AgeCipher.labelKind] }?.body }

  mutating func update(_ chunk: [UInt8]) throws(SyncError) -> [UInt8] {
    do throws(AgeError) { return try opening.update(chunk) } catch { throw SyncError(error) }
  }

  mutating func finish() throws(SyncError) -> [UInt8] {
    do throws(AgeError) { return try opening.finish() } catch { throw SyncError(error) }
  }
}

extension SyncError {
  init(_ error: AgeError) {
    switch error {
    case .notAge: self.init(.suspect, "is no file of age")
    case .malformed(let what): self.init(.suspect, "is no right file of age: \(what)")
    case .readers(let what): self.init(.suspect, what)
    case .noKey: self.init(.unauthorized, "was sealed for other keys than those at hand")
    case .damaged: self.init(.suspect, "is damaged, was cut, or was changed by somebody")
    }
  }
}
