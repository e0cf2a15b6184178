import Testing
import WebPush

extension PushSubscription {
  /// A subscription with valid keys at a service to which nothing is sent.
  static func unused() throws -> PushSubscription {
    let key = try #require(Base64URL.bytes(of: SenderKey().publicText))
    let subscription = PushSubscription(
      endpoint: "https://push.example.org/1", key: key, secret: [UInt8](repeating: 1, count: 16))
    return try #require(subscription)
  }
}
