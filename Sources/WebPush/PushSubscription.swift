internal import Crypto

/// Where a browser can be reached, as its `PushSubscription` says (W3C Push API): an address at a push service, and the keys for
/// which messages are encrypted (RFC 8291, section 2).
package struct PushSubscription: Sendable, Hashable {
  /// The address to which messages are sent. It is a secret: who knows it can send to the browser.
  package let endpoint: String
  /// The browser's public key: an uncompressed P-256 point of 65 bytes.
  package let key: [UInt8]
  /// The secret that the browser shares with the sender: 16 bytes.
  package let secret: [UInt8]

  /// Nil if the key is not a point of the curve, or the secret has another length.
  package init?(endpoint: String, key: [UInt8], secret: [UInt8]) {
    guard (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil, secret.count == 16 else { return nil }
    (self.endpoint, self.key, self.secret) = (endpoint, key, secret)
  }
}

/// The push services to which messages may be sent. An endpoint comes from a device, which could name any address in the hub's
/// network otherwise.
package struct PushServices: Sendable {
  /// The hosts of the services of Chromium, Firefox, Safari and Edge. A service may use hosts below them.
  private static let known = [
    "fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com",
  ]
  private let others: [String]

  /// - Parameter others: Further hosts, each with a port unless it is 443. A loopback address is spoken to without encryption.
  package init(others: [String] = []) { self.others = others.map { $0.lowercased() } }

  /// Returns true if messages may be sent to an endpoint.
  package func allow(_ endpoint: String) -> Bool {
    guard let (scheme, place) = Self.parts(of: endpoint) else { return false }
    if others.contains(place) { return scheme == "https" || place.hasPrefix("127.0.0.1:") }
    return scheme == "https" && Self.known.contains { place == $0 || place.hasSuffix(".\($0)") }
  }

  /// The scheme and the host with its port, as an origin writes them; nil for an address of another form. The form is narrow, so
  /// that no one reads another host from it.
  static func parts(of endpoint: String) -> (scheme: String, place: String)? {
    guard endpoint.utf8.count <= 2_000,
      endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return nil }
    for scheme in ["https", "http"] where endpoint.hasPrefix("\(scheme)://") {
      let place = endpoint.dropFirst(scheme.count + 3).prefix { $0 != "/" }
      guard !place.isEmpty, place.utf8.allSatisfy(isOfHost) else { return nil }
      return (scheme, String(place))
    }
    return nil
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
