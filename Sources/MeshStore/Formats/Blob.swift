internal import Crypto
package import SyncKit

/// Encrypted contents. The same content is encrypted into the same bytes on every device of the mesh, so that a device can get it from
/// any other one; outside of the mesh, nothing shows that two blobs have the same content.
package struct BlobSeal: Sendable {
  private let naming: SymmetricKey
  private let sealing: SymmetricKey

  package init(_ secret: MeshSecret) {
    naming = secret.key(.name)
    sealing = secret.key(.blob)
  }

  package func encrypt(_ content: [UInt8], digest: SyncKit.Digest) -> [UInt8] {
    Seal.encrypt(content, with: key(of: digest))
  }

  /// Throws if the blob is not the encrypted content with this digest.
  package func decrypt(_ blob: [UInt8], digest: SyncKit.Digest) throws(FormatError) -> [UInt8] {
    let content = try Seal.decrypt(blob, with: key(of: digest))
    guard SyncKit.Digest(of: content) == digest else {
      throw FormatError("it has another content than its writer said")
    }
    return content
  }

  /// A key for each content: it is never used for another text.
  private func key(of digest: SyncKit.Digest) -> SymmetricKey {
    let name = HMAC<SHA256>.authenticationCode(for: digest.bytes, using: naming)
    return HKDF<SHA256>.deriveKey(
      inputKeyMaterial: sealing, salt: Array(name), info: Array("blob".utf8), outputByteCount: 32)
  }
}
