import Crypto
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// SHA-1, by which Box checks uploads and describes contents.
struct ContentHasher: Sendable {
  private var hash = Insecure.SHA1()

  mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }

  /// The hash of all bytes so far.
  func finish() -> ContentHash { ContentHash(bytes: Array(hash.finalize())) }
}

/// The SHA-1 of a content.
struct ContentHash: Hashable, Sendable {
  fileprivate let bytes: [UInt8]

  /// The hash of these bytes.
  static func of(_ content: [UInt8]) -> ContentHash {
    var hasher = ContentHasher()
    hasher.update(content)
    return hasher.finish()
  }

  /// As in descriptions, and in the header `Content-MD5` of uploads, whatever its name says.
  var hexadecimal: String { Hexadecimal.text(of: bytes) }

  /// As in the header `Digest`.
  var header: String { "sha=" + Data(bytes).base64EncodedString() }
}
