internal import SyncKit

/// Reads the keys in the settings when they are needed.
struct KeySource: Sendable {
  let passphrase: Secret?
  /// The owner of the keys, as the beginning of an error message.
  let owner: String

  private static let largestFile = 1 << 20

  /// Returns the keys of a remote.
  func keys(for settings: Age.Settings) async throws(SyncError) -> AgeCipher.Keys {
    guard let file = settings.identityFile else {
      guard let passphrase = try await revealed() else { throw refusal("has no key") }
      return .passphrase(ScryptKey(passphrase: passphrase))
    }
    let identities = try await identities(in: file)
    let recipients = settings.recipients.compactMap(Recipient.init)
    guard identities.contains(where: { recipients.contains($0.recipient) }) else {
      throw refusal(
        "could not decrypt its own files: none of the keys in \(file.path) belongs to one of the recipients")
    }
    return .pairs(identities: identities, recipients: recipients)
  }

  /// Returns the secret keys in a file.
  func identities(in file: SettingPath) async throws(SyncError) -> [Identity] {
    var bytes: [UInt8]
    do { bytes = try file.content(atMost: Self.largestFile) } catch {
      throw refusal("has no key: \(error)")
    }
    if HeaderReader.begins(bytes) || Armor.begins(bytes), !bytes.isEmpty { bytes = try await opened(bytes, file) }
    var identities: [Identity] = []
    for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let text = String(decoding: line, as: UTF8.self)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      guard let identity = Identity(text) else {
        throw refusal(
          "has no key: a line of \(file.path) is not a secret key of age, which begins with AGE-SECRET-KEY-1")
      }
      identities.append(identity)
    }
    guard !identities.isEmpty else { throw refusal("has no key: \(file.path) contains none") }
    return identities
  }

  /// Decrypts an identity file that is itself encrypted.
  private func opened(_ bytes: [UInt8], _ file: SettingPath) async throws(SyncError) -> [UInt8] {
    guard let passphrase = try await revealed() else {
      throw refusal("has no key: \(file.path) is encrypted, and the settings have no `passphrase` for it")
    }
    var opening = Opening(with: [ScryptKey(passphrase: passphrase)])
    do throws(AgeError) { return try opening.update(bytes) + opening.finish() } catch {
      throw refusal("has no key: the passphrase does not decrypt \(file.path)")
    }
  }

  /// Returns the passphrase, if there is one in the settings.
  func revealed() async throws(SyncError) -> [UInt8]? {
    guard let secret = passphrase else { return nil }
    let text: String
    do { text = try await secret.reveal() } catch { throw refusal("has no passphrase: \(error)") }
    guard !text.isEmpty else { throw refusal("has an empty passphrase; set one") }
    return Array(text.utf8)
  }

  private func refusal(_ what: String) -> SyncError { SyncError(.unauthorized, owner + what) }
}
