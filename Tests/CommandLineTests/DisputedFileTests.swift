import Testing

@testable import CommandLine

@Suite("A file whose places are chosen one by one") struct DisputedFileTests {
  private func file(_ ours: String, _ theirs: String, hasEntries: Bool = true) -> DisputedFile {
    DisputedFile(ours: Array(ours.utf8), theirs: Array(theirs.utf8), hasEntries: hasEntries)
  }

  private func text(_ file: DisputedFile, _ chosen: [[UInt8]]) -> String {
    String(decoding: file.merged(chosen), as: UTF8.self)
  }

  @Test("no place is in two entries, so that each gets its own choice and no text moves to another one")
  func entries() {
    let (ours, theirs) = ("* U\nThe new text.\n* DONE V\n", "* U\nThe red text.\n* WAITING V\n")
    let file = file(ours, theirs)
    #expect(file.places.count == 2)
    #expect(text(file, file.places.map(\.both)) == "* U\nThe new text.\nThe red text.\n* DONE V\n* WAITING V\n")
    #expect(text(file, [file.places[0].theirs, file.places[1].ours]) == "* U\nThe red text.\n* DONE V\n")
    #expect(text(file, file.places.map(\.ours)) == ours && text(file, file.places.map(\.theirs)) == theirs)
    // Other text has no entries.
    #expect(self.file(ours, theirs, hasEntries: false).places.count == 1)
  }

  @Test(
    "each side can be chosen as a whole, whatever entries were added, renamed or moved",
    arguments: [
      ("", "* A\n"), ("pre\n* A\n\n\n* B\n", "pro\n* A\n* B\nx\n"), ("* A\n* B\n* C\n", "* C\n* A\n* B\n"),
      ("* A one\n* B\n", "* A two\n* B\n** New\n"), ("* A\na", "* A\na\n* B\n"),
      ("* A\r\na\r\n* B\r\n", "* A\r\nb\r\n* C\r\n"),
      ("\u{FEFF}* A\n", "\u{FEFF}* B\n"), ("* X\n* Y\n* Z\n", "* A\n* Z\n"), ("text", "* A"),
      ("* A\n** B\n*** C\n", "* A\n*** C\n** B\n"),
    ])
  func whole(ours: String, theirs: String) {
    let file = file(ours, theirs)
    #expect(text(file, file.places.map(\.ours)) == ours && text(file, file.places.map(\.theirs)) == theirs)
  }

  @Test("a line that lacks its line end gets one if an entry of the other side follows")
  func cutLine() {
    let file = file("* A\na", "* A\nb\n* B\n")
    #expect(text(file, [file.places[0].ours, file.places[1].theirs]) == "* A\na\n* B\n")
  }

  @Test("each place can get our lines, theirs, or both, and everything else stays")
  func choices() {
    let file = file("* A\none\nsame\ntwo\nend\n", "* A\nEINS\nsame\nZWEI\nDREI\nend\n")
    #expect(file.places.count == 2)
    let texts = { (chosen: [[UInt8]]) in String(decoding: file.merged(chosen), as: UTF8.self) }
    #expect(texts(file.places.map(\.ours)) == "* A\none\nsame\ntwo\nend\n")
    #expect(texts(file.places.map(\.theirs)) == "* A\nEINS\nsame\nZWEI\nDREI\nend\n")
    #expect(texts([file.places[0].ours, file.places[1].theirs]) == "* A\none\nsame\nZWEI\nDREI\nend\n")
    #expect(texts(file.places.map(\.both)) == "* A\none\nEINS\nsame\ntwo\nZWEI\nDREI\nend\n")
  }

  @Test("a missing final newline, an empty side and equal versions are handled")
  func edges() {
    let cut = file("a\nb", "a\nc")
    #expect(cut.merged(cut.places.map(\.both)) == Array("a\nb\nc".utf8))
    let empty = file("", "a\n")
    #expect(
      empty.merged(empty.places.map(\.ours)).isEmpty && empty.merged(empty.places.map(\.theirs)) == Array("a\n".utf8))
    let same = file("a\n", "a\n")
    #expect(same.places.isEmpty && same.merged([]) == Array("a\n".utf8))
  }
}
