import OrgKit
import Testing

@Suite("Merging the worked cases")
struct MergeCorpusTests {
  @Test("the cases are there")
  func present() {
    #expect(MergeCase.files.count == 129)
    #expect(MergeCase.trees.count == 4)
  }

  @Test("gives the expected bytes and verdict, whichever side is which", arguments: MergeCase.files)
  func expected(example: MergeCase) throws {
    let versions = try Versions(example)
    let expected = try example.file("expected.org")
    for merge in [versions.merged(), versions.exchanged.merged()] {
      #expect(merge.status == (example.isClean ? .clean : .conflict))
      #expect(merge.content.map(text) == text(expected))
    }
  }

  @Test("keeps identity, agreement, absorption and all words", arguments: MergeCase.files)
  func laws(example: MergeCase) throws {
    let versions = try Versions(example)
    #expect(versions.brokenLaws(of: versions.merged()) { word in example.derived.contains { $0.contains(word) } } == [])
  }

  @Test("writes git's markers instead, only where a person must decide", arguments: MergeCase.files)
  func markers(example: MergeCase) throws {
    var options = OrgMerge.Options()
    options.style = .markers(.init())
    let versions = try Versions(example)
    let merge = versions.merged(options)
    let content = text(try #require(merge.content))
    #expect(content.contains("<<<<<<< ours\n") == !example.isClean)
    if example.isClean { #expect(merge.content == versions.merged().content) }
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
