internal import Crypto
internal import CryptoExtras
internal import SyncKit

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Encrypts file names. Each component of a path has one encrypted form, independent of its parents, so that the remote can be
/// listed, and a moved file keeps its name.
///
/// A component is padded with zeros to a multiple of 16 bytes, encrypted with AES-GCM-SIV (RFC 8452) with a nonce of zeros, and
/// written in lower-case base 32, which every storage supports. A component that would become too long is only hashed; then the
/// label in the file contains its name.
struct HiddenNames: Sendable {
  private static let step = 16
  /// The maximum length of a component. Its encrypted form has 231 characters.
  private static let longest = 128
  /// The prefix of a hashed component. No encrypted one begins with it, because it is not a base 32 digit.
  private static let hashMark = UInt8(ascii: "0")

  private let key: SymmetricKey
  private let hashKey: SymmetricKey

  init(_ key: RemoteKey) {
    self.key = key.derived(for: "names")
    hashKey = key.derived(for: "long names")
  }

  /// The path in the storage.
  func sealed(_ path: SyncPath) throws(SyncError) -> SyncPath {
    var bytes: [UInt8] = []
    for part in path.parts {
      if !bytes.isEmpty { bytes.append(SyncPath.separator) }
      bytes += try sealed(part)
    }
    return SyncPath(trusted: bytes)
  }

  /// The information about the plain path in an encrypted one.
  enum Reading: Hashable {
    case path(SyncPath)
    /// At least one component is only hashed.
    case shortened
    /// The path was not encrypted with this key.
    case foreign
  }

  func reading(of path: SyncPath) -> Reading {
    var bytes: [UInt8] = []
    var isShortened = false
    for part in path.parts {
      if part.first == Self.hashMark {
        isShortened = true
        continue
      }
      guard let name = opened(part) else { return .foreign }
      bytes += (bytes.isEmpty ? [] : [SyncPath.separator]) + name
    }
    if isShortened { return .shortened }
    return SyncPath(bytes: bytes).map(Reading.path) ?? .foreign
  }

  private func sealed(_ part: ArraySlice<UInt8>) throws(SyncError) -> [UInt8] {
    let filled = part + [UInt8](repeating: 0, count: (Self.step - part.count % Self.step) % Self.step)
    guard filled.count <= Self.longest else {
      return [Self.hashMark] + Base32.text(of: HMAC<SHA256>.authenticationCode(for: part, using: hashKey)).utf8
    }
    do {
      let box = try AES.GCM._SIV.seal(filled, using: key, nonce: Self.nonce())
      return Array(Base32.text(of: box.ciphertext + box.tag).utf8)
    } catch { throw SyncError(.unexpected, "cannot encrypt a name on this machine", cause: "\(error)") }
  }

  private func opened(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    guard let bytes = Base32.bytes(of: part), bytes.count > Self.step else { return nil }
    do {
      let box = try AES.GCM._SIV.SealedBox(
        nonce: Self.nonce(), ciphertext: bytes.dropLast(Self.step), tag: bytes.suffix(Self.step))
      let filled = try AES.GCM._SIV.open(box, using: key)
      return Array(filled.prefix { $0 != 0 })
    } catch { return nil }
  }

  private static func nonce() throws -> AES.GCM._SIV.Nonce {
    try AES.GCM._SIV.Nonce(data: [UInt8](repeating: 0, count: 12))
  }
}
