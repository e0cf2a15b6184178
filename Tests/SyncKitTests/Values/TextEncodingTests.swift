import SyncKit
import Testing

@Suite("Bytes as text")
struct TextEncodingTests {
  @Test(
    "base 32 is that of RFC 4648, section 10, without padding",
    arguments: [
      ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
      ("foobar", "mzxw6ytboi"),
    ])
  func base32(bytes: String, text: String) {
    #expect(Base32.text(of: bytes.utf8) == text)
    #expect(Base32.bytes(of: text.utf8) == Array(bytes.utf8))
  }

  @Test("other texts are not base 32", arguments: ["m", "mz", "MY", "my======", "m1", "mzx", "mzxw6y", "mz xq"])
  func notBase32(text: String) { #expect(Base32.bytes(of: text.utf8) == nil) }

  @Test("each byte has two hexadecimal digits in lower case")
  func hexadecimal() {
    let bytes = (0...255).map { UInt8($0) }
    let text = Hexadecimal.text(of: bytes)
    #expect(text.hasPrefix("000102030405060708090a0b") && text.hasSuffix("fdfeff") && text.utf8.count == 512)
    #expect(Hexadecimal.bytes(of: text) == bytes)
  }

  @Test("other texts are not hexadecimal", arguments: ["0", "0A", "0g", "+1", "00 1", "é"])
  func notHexadecimal(text: String) { #expect(Hexadecimal.bytes(of: text) == nil) }
}
