import Testing

@testable import CommandLine

@Suite("A file whose places are chosen one by one") struct DisputedFileTests {
  private func file(_ ours: String, _ theirs: String) -> DisputedFile {
    DisputedFile(ours: Array(ours.utf8), theirs: Array(theirs.utf8))
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
