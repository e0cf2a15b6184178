import Testing

@testable import SyncKit

@Suite("Digests")
struct DigestTests {
  static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test("a digest is the SHA-256 of the bytes")
  func known() {
    #expect(Digest(of: Array("abc".utf8)).description == Self.abc)
    #expect(Digest.empty.description == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("a digest does not depend on how the bytes are divided")
  func streaming() {
    var hasher = DigestHasher()
    for chunk in ["a", "", "bc"] { hasher.update(Array(chunk.utf8)) }
    #expect(hasher.finish() == Digest(of: Array("abc".utf8)))
  }

  @Test("a digest is decoded from its bytes and from its hexadecimal digits")
  func roundTrip() {
    let digest = Digest(of: Array("abc".utf8))
    #expect(Digest(bytes: digest.bytes) == digest)
    #expect(Digest(hexadecimal: Self.abc) == digest)
    #expect(Digest(hexadecimal: Self.abc.uppercased()) == digest)
  }

  @Test(
    "other texts are not digests",
    arguments: [
      "", "ba", String(abc.dropLast()), abc + "0", String(repeating: "+a", count: 32),
      String(repeating: "-0", count: 32),
      String(repeating: "zz", count: 32), String(repeating: "é", count: 32), String(repeating: " a", count: 32),
      "a" + String(repeating: "é", count: 31) + "a",
    ])
  func garbage(text: String) {
    #expect(Digest(hexadecimal: text) == nil)
  }

  @Test("a digest has 32 bytes")
  func length() {
    #expect(Digest(bytes: [UInt8](repeating: 1, count: 31)) == nil)
    #expect(Digest(bytes: [UInt8](repeating: 1, count: 33)) == nil)
  }

  @Test("digests are sorted by their bytes", arguments: 0..<50)
  func order(number: Int) {
    let (a, b) = (Digest(of: Array("a\(number)".utf8)), Digest(of: Array("b\(number)".utf8)))
    #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes))
  }
}
