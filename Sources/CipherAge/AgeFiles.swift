internal import Crypto
internal import SyncKit

/// Files that a user encrypted with age, decrypted with the keys from the store's settings.
actor AgeFiles: FileSealer {
  private let settings: Age.FileSettings
  private let random: @Sendable (Int) -> [UInt8]
  private var keys: Keys?

  /// The available keys.
  private struct Keys {
    var identities: [Identity] = []
    var passphrase: ScryptKey?

    var all: [any FileKeyUnwrapping] { identities + [passphrase].compactMap(\.self) }
  }

  init(settings: Age.FileSettings, random: @escaping @Sendable (Int) -> [UInt8]) {
    self.settings = settings
    self.random = random
  }

  func open(_ sealed: [UInt8], atMost limit: Int) async throws(SyncError) -> OpenedFile {
    guard sealed.count <= limit else { throw SyncError(.suspect, "holds more than can be merged in memory") }
    let keys = try await keysAtHand()
    var opening = Opening(with: keys.all)
    do throws(AgeError) {
      let text = try opening.update(sealed) + opening.finish()
      let readers = try Readers(of: opening.stanzas, identities: keys.identities, known: recipients)
      return OpenedFile(text: text, readers: try readers.names, isArmored: opening.isArmored)
    } catch { throw SyncError(error) }
  }

  func seal(_ text: [UInt8], like file: OpenedFile) async throws(SyncError) -> [UInt8] {
    let keys = try await keysAtHand()
    do {
      var sealing = try Sealing(random: random, armored: file.isArmored) { fileKey in
        if file.readers == Readers.ofPassphrase, let passphrase = keys.passphrase {
          return [try passphrase.wrap(fileKey, work: AgeCipher.work, random: random)]
        }
        return try file.readers.sorted().compactMap(Recipient.init).map { try $0.wrap(fileKey, random: random) }
      }
      return try sealing.update(text) + sealing.finish()
    } catch { throw SyncError(.unexpected, "cannot be encrypted on this machine", cause: "\(error)") }
  }

  private var recipients: Set<Recipient> { Set(settings.recipients.compactMap(Recipient.init)) }

  /// Reads the keys on first use. A key that is unavailable now may be available for the next file.
  private func keysAtHand() async throws(SyncError) -> Keys {
    if let keys { return keys }
    let source = KeySource(passphrase: settings.passphrase, owner: "")
    var found = Keys()
    if let file = settings.identityFile { found.identities = try await source.identities(in: file) }
    found.passphrase = try await source.revealed().map { ScryptKey(passphrase: $0) }
    guard !found.all.isEmpty else {
      throw SyncError(.unauthorized, "has no key: the settings name no `identity-file` in [store.age]")
    }
    keys = found
    return found
  }
}
