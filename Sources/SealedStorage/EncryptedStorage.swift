public import SyncKit

/// A storage whose files are encrypted. Only a content that a device of the remote wrote for its path, and that is not
/// older than what was seen there, can be read. Revisions are the storage's own; digests are those of the plain content,
/// which only reading tells.
///
/// The marker stays readable, except for the key of the remote in it.
struct EncryptedStorage: Storage {
  let storage: any Storage
  let parts: RemoteParts
  let vault: Vault

  init(
    _ storage: any Storage, _ cipher: any Cipher, _ parts: RemoteParts, onFirstKey: @escaping @Sendable (String) -> Void
  ) {
    self.storage = storage
    self.parts = parts
    vault = Vault(cipher, around: storage, parts, onFirstKey: onFirstKey)
  }

  var address: String { storage.address }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }
  func createRoot() async throws(SyncError) { try await storage.createRoot() }
  func recover() async throws(SyncError) { try await storage.recover() }
  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    let findings = try await storage.diagnose()
    guard let opened = try await vault.key() else {
      return findings + [Finding(.note, "nothing is encrypted there yet; the first pass makes the remote's key")]
    }
    return findings + [
      Finding(
        .good,
        "the files are encrypted with \(opened.cipher.id), and the key at hand decrypts them; the remote's fingerprint is "
          + opened.key.digest.fingerprint)
    ]
  }
}

extension Storage {
  /// The storage with every file encrypted. It encrypts a content once for each write, outside of the layers that log and
  /// retry.
  /// - Parameter onFirstKey: Called with the fingerprint when this device accepts the remote's key for the first time.
  public func encrypted(
    with cipher: any Cipher, _ parts: RemoteParts, onFirstKey: @escaping @Sendable (String) -> Void = { _ in }
  ) -> any Storage {
    EncryptedStorage(self, cipher, parts, onFirstKey: onFirstKey)
  }
}
