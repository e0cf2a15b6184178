import Testing

@testable import BackendGit

@Suite("A limit for what a git server sends other than objects") struct AnswerLimitTests {
  /// Receives the text in pieces of this size; returns true if all of it is accepted.
  private func accepts(_ text: String, piece: Int = 7, by limit: inout AnswerLimit) -> Bool {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: piece).allSatisfy { start in
      unsafe bytes[start..<min(bytes.count, start + piece)].withUnsafeBytes { unsafe limit.accepts($0) }
    }
  }

  private static let references = "000abcdef\n0000"
  private static let objects = String(repeating: "x", count: 1_000)

  @Test(
    "objects after a message are not limited, with side bands and without", arguments: ["0008NAK\n03ec\u{1}", "PACK"],
    1...9)
  func objects(start: String, piece: Int) {
    var limit = AnswerLimit(100)
    #expect(accepts(Self.references, piece: piece, by: &limit))
    limit.recordMessage()
    #expect(accepts(start + Self.objects, piece: piece, by: &limit))
  }

  @Test("everything else is limited in sum", arguments: 1...9)
  func others(piece: Int) {
    for text in [Self.objects, "0008NAK\n03ec\u{2}" + Self.objects, "\u{1}" + Self.objects] {
      var limit = AnswerLimit(100)
      limit.recordMessage()
      #expect(!accepts(text, piece: piece, by: &limit))
    }
    var limit = AnswerLimit(100)
    for _ in 0..<10 {
      limit.recordMessage()
      #expect(accepts("0008NAK\n", piece: piece, by: &limit))
    }
    limit.recordMessage()
    #expect(!accepts("0008NAK\n0008NAK\n0008NAK\n", piece: piece, by: &limit))
  }

  @Test("what looks like objects in the list of references, or before the answer to another message, is limited")
  func disguised() {
    for start in ["0006\u{1}x", "PACK"] {
      var limit = AnswerLimit(100)
      #expect(!accepts(start + Self.objects, by: &limit))
      limit = AnswerLimit(100)
      limit.recordMessage()
      #expect(accepts("0006\u{1}x", by: &limit))
      limit.recordMessage()
      #expect(!accepts(Self.objects, by: &limit))
    }
  }
}
