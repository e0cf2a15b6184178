package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The proof that a code is redeemed by the program that requested it (RFC 7636).
package struct PKCE: Sendable {
  /// 43 letters and digits of 32 random bytes, as section 4.1 recommends.
  package let verifier: String

  package init(runtime: Runtime) { verifier = Self.text(runtime.random(32)) }

  /// The hash of the verifier, which is sent in advance.
  package var challenge: String { Self.text(Digest(of: Array(verifier.utf8)).bytes) }

  /// Encodes bytes as base64url without padding.
  package static func text(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { letter in
        switch letter {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: letter
        }
      })
  }
}
