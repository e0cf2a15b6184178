internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// OpenPGP as a cipher: binary files, with the label as the name that a file has in its sealed part.
struct GPGCipher: Cipher {
  private static let labelMark = "syncd:"
  private static let armor = Array("-----BEGIN PGP MESSAGE".utf8)

  let id = GPG.id
  let keyring: Keyring
  /// Fingerprints.
  let recipients: [String]
  let sleep: @Sendable (Duration) async throws -> Void

  /// A file for keys begins with one of their packets (RFC 4880, 4.2 and 5.1), by whose first byte no text begins.
  func isSealed(_ start: [UInt8]) -> Bool {
    start.first.map { [0x84, 0x85, 0x86, 0xC1].contains($0) } ?? false || start.starts(with: Self.armor)
  }

  func sealing(_ label: [UInt8]) throws(SyncError) -> any CipherStream {
    let name = label.isEmpty ? "" : Self.labelMark + Self.text(of: label)
    return try stream(.seal(for: recipients, name: name))
  }

  func opening() throws(SyncError) -> any CipherStream { try stream(.open) }

  private func stream(_ work: Pipeline.Work) throws(SyncError) -> GPGStream {
    do throws(Complaint) {
      return GPGStream(pipeline: try Pipeline(work, try keyring.context(), sleep), label: nil)
    } catch { throw SyncError(error) }
  }

  /// The label in the name of a file.
  static func label(in name: String) -> [UInt8]? {
    guard name.hasPrefix(labelMark) else { return nil }
    let text = name.dropFirst(labelMark.utf8.count).map { $0 == "_" ? "/" : $0 }
    return Data(base64Encoded: String(text)).map(Array.init)
  }

  /// Base 64 without the slash, before which gpg cuts a name off.
  private static func text(of label: [UInt8]) -> String {
    String(Data(label).base64EncodedString().map { $0 == "/" ? "_" : $0 })
  }
}

private struct GPGStream: CipherStream {
  let pipeline: Pipeline
  var label: [UInt8]?

  mutating func update(_ chunk: [UInt8]) async throws(SyncError) -> [UInt8] {
    do throws(Complaint) { return try await pipeline.push(chunk) } catch { throw SyncError(error) }
  }

  mutating func finish() async throws(SyncError) -> [UInt8] {
    do throws(Complaint) {
      let (rest, facts) = try await pipeline.finish()
      label = facts.name.flatMap(GPGCipher.label)
      return rest
    } catch { throw SyncError(error) }
  }
}

extension SyncError {
  init(_ complaint: Complaint) {
    self.init(complaint.isPassing ? .unavailable : .suspect, complaint.reason)
  }
}
