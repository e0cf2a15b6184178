public import SyncKit

/// A storage whose files are encrypted. It only returns contents that a device of the remote wrote for the path, and that are
/// not older than the last version seen there. Revisions are those of the underlying storage; digests are those of the plain
/// content, which are only known after reading.
///
/// The marker stays readable, except for the remote's key in it.
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
      return findings + [Finding(.note, "nothing is encrypted there yet; the first pass creates the remote's key")]
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
  /// Returns the storage with encrypted files. It encrypts a content once per write, outside of the layers that log and retry.
  /// - Parameter onFirstKey: called with the fingerprint when this device accepts the remote's key for the first time.
  public func encrypted(
    with cipher: any Cipher, _ parts: RemoteParts, onFirstKey: @escaping @Sendable (String) -> Void = { _ in }
  ) -> any Storage {
    EncryptedStorage(self, cipher, parts, onFirstKey: onFirstKey)
  }
}
