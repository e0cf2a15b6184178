internal import Crypto
internal import SyncKit

internal import struct SyncKit.Digest

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The secret key of one encrypted remote. The first device creates it and stores it in the marker, encrypted for all
/// recipients.
///
/// The key proves that a device of the remote wrote a file. A cipher with public keys cannot prove that, because anyone can
/// encrypt for a public key.
struct RemoteKey: Hashable, Sendable {
  /// The version of the label format.
  enum Format: Int, Comparable, Sendable {
    /// The label proves path and version, but is not bound to the content. Read only to migrate a remote.
    case unprovenContent = 1
    /// The label proves path, version and content.
    case provenContent = 2

    static let current = provenContent

    static func < (left: Format, right: Format) -> Bool { left.rawValue < right.rawValue }
  }

  static let size = 32
  private static let title = "# syncd key"

  let bytes: [UInt8]
  /// Returns true if names are encrypted in this remote.
  let hidesNames: Bool
  let format: Format

  init(bytes: [UInt8], hidesNames: Bool, format: Format = .current) {
    self.bytes = bytes
    self.hidesNames = hidesNames
    self.format = format
  }

  /// Parses the text in a marker; returns nil if it is invalid.
  init?(_ text: [UInt8]) {
    let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard line.hasPrefix(Self.title + " ") else { return nil }
    let fields = line.dropFirst(Self.title.utf8.count + 1).split(separator: " ")
    guard fields.count == 3, let format = Int(fields[0]).flatMap(Format.init),
      let data = Data(base64Encoded: String(fields[1])), data.count == Self.size,
      let hidesNames = ["names=plain": false, "names=hidden": true][fields[2]]
    else { return nil }
    self.init(bytes: Array(data), hidesNames: hidesNames, format: format)
  }

  /// The text in the marker before encryption: a line with the key, followed by instructions for decrypting the files by hand.
  func text(note: String) -> [UInt8] {
    let names = hidesNames ? "hidden" : "plain"
    let line = "\(Self.title) \(format.rawValue) \(Data(bytes).base64EncodedString()) names=\(names)"
    return Array("\(line)\n\(note)".utf8)
  }

  /// Derives the key for one purpose. Keys of different formats are independent.
  func derived(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), info: Array("syncd/\(format.rawValue)/\(purpose)".utf8),
      outputByteCount: 32)
  }

  /// The SHA-256 of the key. It does not reveal the key, which is random.
  var digest: Digest { Digest(of: bytes) }
}

/// A few bytes encrypted with ChaCha20-Poly1305: a random nonce, the ciphertext, the tag.
enum SmallBox {
  static func seal(_ bytes: [UInt8], _ key: SymmetricKey) throws(SyncError) -> [UInt8] {
    do { return Array(try ChaChaPoly.seal(bytes, using: key).combined) } catch {
      throw SyncError(.unexpected, "this machine cannot encrypt", cause: "\(error)")
    }
  }

  /// Returns the plaintext, or nil if the bytes were not encrypted with this key.
  static func open(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8]? {
    do { return Array(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: bytes), using: key)) } catch { return nil }
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }

  init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
