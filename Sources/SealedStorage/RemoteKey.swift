internal import Crypto
internal import SyncKit

internal import struct SyncKit.Digest

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The key that belongs to one sealed remote: made once, kept in its marker, sealed there for everybody who may open the
/// files. It proves that a file was sealed by one of them for its very place, which a cipher with public keys cannot: there
/// anybody can seal.
struct RemoteKey: Hashable, Sendable {
  static let size = 32
  private static let title = "# syncd key 1"

  let bytes: [UInt8]
  /// Whether names are sealed in this remote.
  let hidesNames: Bool

  init(bytes: [UInt8], hidesNames: Bool) {
    self.bytes = bytes
    self.hidesNames = hidesNames
  }

  /// The key whose text was sealed, or nil if this is another text.
  init?(_ text: [UInt8]) {
    let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard line.hasPrefix(Self.title + " ") else { return nil }
    let words = line.dropFirst(Self.title.utf8.count + 1).split(separator: " ")
    guard words.count == 2, let data = Data(base64Encoded: String(words[0])), data.count == Self.size,
      let names = ["names=plain": false, "names=hidden": true][words[1]]
    else { return nil }
    self.init(bytes: Array(data), hidesNames: names)
  }

  /// The text that is sealed: a line of the key, and below it what helps a person to open the files by hand.
  func text(note: String) -> [UInt8] {
    let names = hidesNames ? "hidden" : "plain"
    return Array("\(Self.title) \(Data(bytes).base64EncodedString()) names=\(names)\n\(note)".utf8)
  }

  /// The key for one purpose.
  func derived(for purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), info: Array("syncd/1/\(purpose)".utf8), outputByteCount: 32)
  }

  /// What may be told of the key, to know it again.
  var digest: Digest { Digest(of: bytes) }
}

/// What is sealed with a file: the place that it was sealed for, and which of its versions it is.
struct Label: Hashable, Sendable {
  /// Counted up with each version that anybody writes to the remote.
  var number: UInt64
  var place: Digest
  /// The path itself, where the name does not tell it.
  var path: SyncPath?

  /// A path is filled up to a multiple of so many bytes, so that its length tells little.
  private static let step = 64

  init(_ path: SyncPath, number: UInt64, withPath: Bool) {
    self.number = number
    place = Digest(of: path.bytes)
    self.path = withPath ? path : nil
  }

  /// The label that was sealed, or nil if it was not, or not with this key.
  init?(_ sealed: [UInt8], _ key: RemoteKey) {
    guard let bytes = SmallBox.open(sealed, key.derived(for: "label")), bytes.count >= 40,
      let place = Digest(bytes: bytes[8..<40])
    else { return nil }
    number = UInt64(bigEndianBytes: bytes.prefix(8))
    self.place = place
    path = SyncPath(bytes: Array(bytes[40...].prefix { $0 != 0 }))
  }

  func sealed(_ key: RemoteKey) throws(SyncError) -> [UInt8] {
    var bytes = number.bigEndianBytes + place.bytes
    if let path {
      bytes += path.bytes + [UInt8](repeating: 0, count: (Self.step - path.bytes.count % Self.step) % Self.step)
    }
    return try SmallBox.seal(bytes, key.derived(for: "label"))
  }
}

/// A few bytes under ChaCha20-Poly1305: a random nonce, what was sealed, the tag.
enum SmallBox {
  static func seal(_ bytes: [UInt8], _ key: SymmetricKey) throws(SyncError) -> [UInt8] {
    do { return Array(try ChaChaPoly.seal(bytes, using: key).combined) } catch {
      throw SyncError(.unexpected, "nothing can be sealed on this machine", cause: "\(error)")
    }
  }

  /// What was sealed, or nil if it was not, or with another key.
  static func open(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8]? {
    do { return Array(try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: bytes), using: key)) } catch { return nil }
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }

  init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
