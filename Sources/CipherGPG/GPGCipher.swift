internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// OpenPGP as a cipher: binary files without compression, with the label as the file name in the encrypted part.
///
/// With public keys the format proves that a file is complete, not who wrote it. `EncryptedStorage` proves the author by the
/// content of the label.
struct GPGCipher: Cipher {
  private static let labelMark = "syncd:"
  private static let armor = Array("-----BEGIN PGP MESSAGE".utf8)

  let id = GPG.id
  let keyring: Keyring
  /// The fingerprints of the keys.
  let recipients: [String]
  let sleep: @Sendable (Duration) async throws -> Void

  /// Returns true if the bytes begin a file for keys: with one of their packets (RFC 4880, 4.2 and 5.1), whose first byte
  /// begins no text.
  func isEncrypted(_ start: [UInt8]) -> Bool {
    start.first.map { [0x84, 0x85, 0x86, 0xC1].contains($0) } ?? false || start.starts(with: Self.armor)
  }

  func encryptor(label: [UInt8]) throws(SyncError) -> any CipherStream {
    let name = label.isEmpty ? "" : Self.labelMark + Self.text(of: label)
    return try stream(.encrypt(for: recipients, name: name))
  }

  func decryptor() throws(SyncError) -> any CipherStream { try stream(.decrypt) }

  private func stream(_ operation: Pipeline.Operation) throws(SyncError) -> GPGStream {
    do throws(Complaint) {
      return GPGStream(pipeline: try Pipeline(operation, try keyring.context(), sleep), label: nil)
    } catch { throw SyncError(error) }
  }

  /// Decodes the label from a file name.
  static func label(in name: String) -> [UInt8]? {
    guard name.hasPrefix(labelMark) else { return nil }
    let text = name.dropFirst(labelMark.utf8.count).map { $0 == "_" ? "/" : $0 }
    return Data(base64Encoded: String(text)).map(Array.init)
  }

  /// Encodes a label in base 64 without the slash, because gpg removes everything before a slash from a name.
  private static func text(of label: [UInt8]) -> String {
    String(Data(label).base64EncodedString().map { $0 == "/" ? "_" : $0 })
  }
}

private struct GPGStream: CipherStream {
  let pipeline: Pipeline
  var label: [UInt8]?

  mutating func update(_ chunk: [UInt8], into output: CipherOutput) async throws(SyncError) {
    try await pipeline.push(chunk, into: output)
  }

  mutating func finish(into output: CipherOutput) async throws(SyncError) {
    label = try await pipeline.finish(into: output).name.flatMap(GPGCipher.label)
  }
}

extension SyncError {
  init(_ complaint: Complaint) {
    let code: Code =
      if complaint.isPassing { .unavailable } else if complaint.isWithoutKey { .unauthorized } else { .suspect }
    self.init(code, complaint.reason)
  }
}
