public import SyncKit

/// A storage whose files are sealed: what goes in is sealed for its place, and only what was sealed for its place, and is
/// not older than what was seen there, comes out. Revisions are the storage's own; digests are those of the plain content,
/// which only reading tells.
///
/// The marker stays readable, but for the key of the remote in it.
struct EncryptedStorage: Storage {
  let storage: any Storage
  let parts: RemoteParts
  let vault: Vault

  init(_ storage: any Storage, _ cipher: any Cipher, _ parts: RemoteParts) {
    self.storage = storage
    self.parts = parts
    vault = Vault(cipher, around: storage, parts)
  }

  var address: String { storage.address }
  var tellsOfWholeFiles: Bool { storage.tellsOfWholeFiles }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }
  func createRoot() async throws(SyncError) { try await storage.createRoot() }
  func recover() async throws(SyncError) { try await storage.recover() }
  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    let findings = try await storage.diagnose()
    guard let opened = try await vault.key() else {
      return findings + [Finding(.note, "nothing is sealed there yet; the first pass makes the remote's key")]
    }
    return findings + [
      Finding(.good, "what lies there is sealed with \(opened.cipher.id), and the key at hand opens it")
    ]
  }
}

extension Storage {
  /// The storage with every file encrypted. It encrypts a content once for each write, outside of the layers that log and
  /// retry.
  public func encrypted(with cipher: any Cipher, _ parts: RemoteParts) -> any Storage {
    EncryptedStorage(self, cipher, parts)
  }
}
