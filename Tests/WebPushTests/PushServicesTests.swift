import Crypto
import Foundation
import Testing

@testable import WebPush

@Suite("Push services") struct PushServicesTests {
  @Test(
    "messages go to known services by https only",
    arguments: [
      ("https://fcm.googleapis.com/fcm/send/a:b", true), ("https://updates.push.services.mozilla.com/wpush/v2/x", true),
      ("https://web.push.apple.com/x", true), ("https://par02p.notify.windows.com/w/?token=x", true),
      ("http://fcm.googleapis.com/x", false), ("https://fcm.googleapis.com.evil.example/x", false),
      ("https://evilfcm.googleapis.com.example/x", false), ("https://notfcm.googleapis.com@10.0.0.1/x", false),
      ("https://10.0.0.1/fcm.googleapis.com", false), ("https://fcm.googleapis.com:8080/x", false),
      ("https://fcm.googleapis.com\\@10.0.0.1/x", false), ("https://fcm.googleapis.com#@10.0.0.1/", false),
      ("https://FCM.googleapis.com/x", false), ("https:///x", false), ("ftp://fcm.googleapis.com/x", false),
      ("https://fcm.googleapis.com/\r\nHost: x", false), ("", false),
      ("https://push.example.org/x", true), ("https://sub.push.example.org/x", false),
      ("https://push.example.org:8443/x", false), ("http://push.example.org/x", false),
      ("http://127.0.0.1:8000/x", true), ("http://127.0.0.1:8001/x", false),
      ("http://127.0.0.1:8000.evil.example/x", false),
    ])
  func allowed(endpoint: String, expected: Bool) {
    let services = PushServices(others: ["push.example.org", "127.0.0.1:8000"])
    #expect(services.allow(endpoint) == expected)
  }

  @Test("a token names the origin of the service, and its signature is of the key that it carries")
  func token() throws {
    let key = SenderKey()
    let text = try key.authorization(
      for: "https://web.push.apple.com/abc", contact: "mailto:ann@example.org", at: 1_800_000_000)
    let match = try #require(text.wholeMatch(of: /vapid t=([^.]+)\.([^.]+)\.([^.]+), k=(.+)/))
    #expect(String(match.4) == key.publicText)
    let claims = try Self.bytes(match.2)
    let members = try #require(try JSONSerialization.jsonObject(with: Data(claims)) as? [String: Any])
    #expect(members["aud"] as? String == "https://web.push.apple.com" && members["exp"] as? Int == 1_800_043_200)
    #expect(members["sub"] as? String == "mailto:ann@example.org")
    let point = try P256.Signing.PublicKey(x963Representation: Self.bytes(match.4))
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: Self.bytes(match.3))
    #expect(point.isValidSignature(signature, for: Data("\(match.1).\(match.2)".utf8)))
  }

  private static func bytes(_ text: Substring) throws -> [UInt8] { try #require(Base64URL.bytes(of: String(text))) }

  @Test("a key is the same again from its text")
  func kept() throws {
    let key = SenderKey()
    #expect(SenderKey(text: key.text)?.publicText == key.publicText)
    #expect(SenderKey(text: "") == nil && SenderKey(text: "AAAA") == nil)
  }
}
