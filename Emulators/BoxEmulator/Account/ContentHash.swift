import Crypto
import Foundation

/// SHA-1, in the two forms of the service.
enum ContentHash {
  /// As in descriptions and `Content-MD5`.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    digest(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// As in the header `Digest`.
  static func header(_ bytes: [UInt8]) -> String { "sha=" + Data(digest(bytes)).base64EncodedString() }

  private static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(Insecure.SHA1.hash(data: bytes)) }
}
