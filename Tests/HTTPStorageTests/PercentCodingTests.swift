import HTTPStorage
import Testing

@Suite("Percent-encoding")
struct PercentCodingTests {
  @Test("every byte survives, and only unreserved characters are plain")
  func everyByte() {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    for byte in UInt8.min...UInt8.max {
      let text = PercentCoding.encoded([byte])
      #expect(text.utf8.count == (unreserved.contains(byte) ? 1 : 3))
      #expect(PercentCoding.decoded(text.utf8, decodesPlus: true) == [byte])
    }
  }

  @Test("slashes of a path stay, plus signs are spaces only in forms, and incomplete escapes stay")
  func details() {
    #expect(PercentCoding.encoded("a/b c".utf8, keepsSlashes: true) == "a/b%20c")
    #expect(PercentCoding.encoded("a/b".utf8) == "a%2Fb")
    #expect(PercentCoding.decoded("a+b".utf8) == Array("a+b".utf8))
    #expect(PercentCoding.decoded("a+b".utf8, decodesPlus: true) == Array("a b".utf8))
    #expect(PercentCoding.decoded("50%, %4, %zz, %c3%A9".utf8) == Array("50%, %4, %zz, é".utf8))
  }

  @Test("paths are split into their components")
  func paths() {
    #expect(PercentCoding.path([]) == "/")
    #expect(PercentCoding.path([Array("a b".utf8), Array("c/d".utf8)]) == "/a%20b/c%2Fd")
    #expect(PercentCoding.parts(of: "/a%20b//c%2fd/") == [Array("a b".utf8), Array("c/d".utf8)])
  }
}
