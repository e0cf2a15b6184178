internal import Crypto

/// The key by which push services know a sender (VAPID, RFC 8292). A subscription is made for it, and takes messages of no other.
package struct SenderKey: Sendable {
  private let key: P256.Signing.PrivateKey

  /// The time for which a token is valid, in seconds: half of what services allow.
  private static let lifetime: Int64 = 43_200

  /// A new key.
  package init() { key = P256.Signing.PrivateKey() }

  /// The key with this text; nil if it is not one.
  package init?(text: String) {
    guard let bytes = Base64URL.bytes(of: text), let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
      return nil
    }
    self.key = key
  }

  /// The private key as text, to be kept secret.
  package var text: String { Base64URL.text(of: key.rawRepresentation) }

  /// The public key as text, which a browser needs to subscribe.
  package var publicText: String { Base64URL.text(of: key.publicKey.x963Representation) }

  /// Returns the value of `Authorization` for a message to an endpoint.
  ///
  /// - Parameters:
  ///   - contact: an address of the form `mailto:` or `https:` at which the service can complain; nil for none.
  ///   - now: the time, in seconds since 1970.
  package func authorization(for endpoint: String, contact: String?, at now: Int64) throws -> String {
    let origin = PushServices.parts(of: endpoint).map { "\($0.scheme)://\($0.place)" } ?? ""
    var claims = "{\"aud\":\"\(origin)\",\"exp\":\(now + Self.lifetime)"
    if let contact { claims += ",\"sub\":\"\(contact)\"" }
    let parts = [#"{"typ":"JWT","alg":"ES256"}"#, claims + "}"].map { Base64URL.text(of: Array($0.utf8)) }
    let signed = parts.joined(separator: ".")
    let signature = try key.signature(for: Array(signed.utf8))
    return "vapid t=\(signed).\(Base64URL.text(of: signature.rawRepresentation)), k=\(publicText)"
  }
}
