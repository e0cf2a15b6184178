import Testing

@testable import SyncKit

@Suite("Printable text") struct PrintableTests {
  private static let evil = "a\u{1B}[2J\u{9B}\u{202E}\u{2066}\u{7F}\u{8}b"
  private static let inert = #"a\x1b[2J\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\x7f\x08b"#

  @Test("characters that control a terminal or change the direction of text are escaped")
  func escapes() {
    #expect(Self.evil.printable == Self.inert)
    #expect(printable(Self.evil.utf8) == Self.inert)
    #expect(Self.inert.printable == Self.inert)
    #expect(printable([0x61, 0xFF, 0x0A]) == #"a\xff\x0a"#)
  }

  @Test("letters, emoji, line feeds and tabs are kept", arguments: ["", "plain", "ä 日本 שלום", "👩\u{200D}💻", "a\n\tb"])
  func keeps(text: String) { #expect(text.printable == text) }

  @Test("an error is one line, so that a server cannot add lines to a log")
  func lines() {
    #expect("a\nsyncd: all is well\r\n\tb\n".printableLine == "a syncd: all is well b")
    #expect("a\u{2028}b\u{85}c\u{B}d".printableLine == "a b c d")
    #expect(SyncError(.unexpected, "refused\nin sync").message == "refused in sync")
  }

  @Test("errors, actions, holds and findings have printable text")
  func values() throws {
    let path = try #require(SyncPath("a.org"))
    #expect(SyncError(.unexpected, Self.evil, cause: Self.evil).message == Self.inert)
    #expect(SyncError(.unexpected, "", cause: Self.evil).cause == Self.inert)
    #expect(Action(path: path, kind: .copy, to: .local, result: .failed, detail: Self.evil).detail == Self.inert)
    #expect(Hold(reason: Self.evil, items: []).reason == Self.inert)
    #expect(Finding(.note, Self.evil).text == Self.inert)
  }

  @Test("invented sizes of a server do not overflow", arguments: [Int.min, -1, 0, 1, Int.max])
  func sizes(size: Int) throws {
    var entry = Entry(path: try #require(SyncPath("a.org")), revision: Revision("1"), size: size)
    #expect((0...(1 << 40)).contains(entry.size))
    entry.size = size
    #expect((0...(1 << 40)).contains(entry.size))
  }
}
