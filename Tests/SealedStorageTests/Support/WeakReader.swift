import SyncKit
import SyncKitTesting

@testable import SealedStorage

/// The checks of the encryption layer, some of which can be omitted: a planted weakness. An attack must succeed if the check
/// against it is missing, or its failure proves nothing if the check is present.
struct WeakReader {
  enum Check: CaseIterable { case label, content, place, number }

  let cipher: any Cipher
  let key: RemoteKey
  let missing: Set<Check>

  /// Reads with the key in the remote's marker.
  init(_ setup: EncryptedSetup, without missing: Set<Check>) async throws {
    guard let marker = try await setup.remote.sealedMarker() else { throw CancellationError() }
    let side = try await Rekeying.Side(setup.cipher, with: marker.text.seal, setup.first.parts)
    guard let cipher = side.cipher, let key = side.key else { throw CancellationError() }
    (self.cipher, self.key, self.missing) = (cipher, key, missing)
  }

  /// Returns true if the file would be accepted at this path, if `seen` was the last version.
  func accepts(_ file: [UInt8], at path: SyncPath, after seen: SealedVersions.Mark = .none) async -> Bool {
    do throws(SyncError) {
      var stream = try cipher.decryptor()
      let content = Content(try await stream.run(file))
      guard !missing.contains(.label) else { return true }
      guard let label = stream.label.flatMap({ Label($0, key) }) else { return false }
      let isContent = label.content == content.digest && label.size == content.size
      let isPlace = label.place == Digest(of: path.bytes)
      let isNew = seen.permits(SealedVersions.Mark(label.number, of: content.digest))
      return (isContent || missing.contains(.content)) && (isPlace || missing.contains(.place))
        && (isNew || missing.contains(.number))
    } catch { return false }
  }
}
