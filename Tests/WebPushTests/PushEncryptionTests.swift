import Crypto
import Foundation
import Testing

@testable import WebPush

@Suite("Messages to browsers") struct PushEncryptionTests {
  private static let receiver =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(of: text)) }

  private static func subscription() throws -> PushSubscription {
    let (key, secret) = try (bytes(receiver), bytes("BTBZMqHH6r4Tts7J_aSIgg"))
    return try #require(PushSubscription(endpoint: "https://push.example.net/push/1", key: key, secret: secret))
  }

  @Test("the example of RFC 8291, appendix A, has its bytes")
  func example() throws {
    let own = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let sealed = try PushEncryption.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8), for: Self.subscription(), padding: 0,
      Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"), own)
    let expected =
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6"
      + "cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    #expect(Base64URL.text(of: sealed) == expected)
  }

  @Test(
    "texts of many lengths have few lengths encrypted, each within the limit of services",
    arguments: [0, 1, 511, 512, 3_900])
  func padding(count: Int) throws {
    let sealed = try PushEncryption.encrypt([UInt8](repeating: 97, count: count), for: Self.subscription())
    let lengths = Set((1...7).map { $0 * 512 } + [3_900]).map { $0 + 103 }
    #expect(lengths.contains(sealed.count) && sealed.count <= 4_096, "\(sealed.count)")
  }

  @Test("two messages of one text have nothing in common but their form")
  func random() throws {
    let messages = try (0..<2).map { _ in try PushEncryption.encrypt([1, 2, 3], for: Self.subscription()) }
    #expect(zip(messages[0], messages[1]).count { $0 == $1 } < messages[0].count / 8)
  }

  @Test("a subscription needs a point of the curve and a secret of 16 bytes")
  func malformed() throws {
    let good = try Self.subscription()
    var wrong = good.key
    wrong[64] ^= 1
    #expect(PushSubscription(endpoint: good.endpoint, key: wrong, secret: good.secret) == nil)
    #expect(PushSubscription(endpoint: good.endpoint, key: [], secret: good.secret) == nil)
    #expect(PushSubscription(endpoint: good.endpoint, key: good.key, secret: [1]) == nil)
  }

  @Test("base64url of RFC 4648, with and without padding, and nothing else")
  func base64() {
    #expect(Base64URL.text(of: [0xFB, 0xFF, 0xBF, 0]) == "-_-_AA")
    #expect(
      Base64URL.bytes(of: "-_-_AA") == [0xFB, 0xFF, 0xBF, 0]
        && Base64URL.bytes(of: "-_-_AA==") == [0xFB, 0xFF, 0xBF, 0])
    for text in ["a", "+a", "a b", "a=b", "\u{E9}a"] { #expect(Base64URL.bytes(of: text) == nil, "\(text)") }
  }
}
