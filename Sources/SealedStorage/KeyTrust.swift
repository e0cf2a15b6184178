public import SyncKit

/// A user's decision that the key in a remote's marker is the right one.
///
/// A device accepts the first key that it sees, and no other one afterwards until a user has compared fingerprints.
public struct KeyTrust: Sendable {
  let storage: any Storage
  let parts: RemoteParts
  let cipher: any Cipher

  /// - Parameter storage: the storage, without the layer for encryption.
  public init(_ storage: any Storage, _ parts: RemoteParts, _ cipher: any Cipher) {
    self.storage = storage
    self.parts = parts
    self.cipher = cipher
  }

  /// Accepts the key in the marker if it has this fingerprint; ignores spaces, hyphens and case.
  public func accept(_ fingerprint: String) async throws(SyncError) {
    guard let marker = try await storage.sealedMarker() else {
      throw SyncError(.wrongReplica, "no marker of syncd at \(storage.address); nothing was changed")
    }
    guard let key = try await Rekeying.Side(cipher, with: marker.text.seal, parts).key else {
      throw SyncError(.wrongReplica, "the files at \(storage.address) are not encrypted; nothing was changed")
    }
    guard key.digest.hasFingerprint(fingerprint) else {
      throw SyncError(
        .wrongReplica,
        "the key of the remote \(parts.name) at \(storage.address) has the fingerprint \(key.digest.fingerprint), not "
          + "\(fingerprint); nothing was changed. An attacker may have put another marker there")
    }
    guard key.format >= (try await SealRecord.lowestFormat(in: parts.journal)) else {
      throw SyncError.isDowngrade(parts.name)
    }
    try await SealRecord.write(key, cipher: cipher.id, to: parts.journal)
  }
}
