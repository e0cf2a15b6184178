import OrgKit
import Testing

@Suite("Merges of the worked cases")
struct MergeCorpusTests {
  @Test("the corpus has its cases")
  func present() {
    #expect(MergeCase.files.count == 225)
    #expect(MergeCase.trees.count == 4)
  }

  @Test("a merge has the expected bytes and status, with the sides in either order", arguments: MergeCase.files)
  func expected(example: MergeCase) throws {
    let versions = try Versions(example)
    let expected = try example.file("expected.org")
    for merge in [versions.merged(), versions.exchanged.merged()] {
      #expect(merge.status == (example.isClean ? .clean : .conflict))
      #expect(merge.content.map(text) == text(expected))
    }
  }

  @Test("identity, agreement and absorption hold, and no word is lost", arguments: MergeCase.files)
  func laws(example: MergeCase) throws {
    let versions = try Versions(example)
    #expect(versions.brokenLaws(of: versions.merged()) { word in example.derived.contains { $0.contains(word) } } == [])
  }

  @Test("git's markers are only where the merge has a conflict", arguments: MergeCase.files)
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

extension MergeCorpusTests {
  @Test("a preference for a side applies only where the merge has a conflict", arguments: MergeCase.files)
  func decided(example: MergeCase) throws {
    let versions = try Versions(example)
    var options = OrgMerge.Options()
    options.style = .decided(.ours)
    let merge = versions.merged(options)
    let content = text(try #require(merge.content))
    options.style = .decided(.theirs)
    let swapped = OrgMerge.merge(base: versions.base, ours: versions.theirs, theirs: versions.ours, options: options)
    #expect(swapped.content == merge.content)
    if example.isClean {
      #expect(merge.content == versions.merged().content)
    } else {
      #expect(!content.contains(":CONFLICT:") && !content.contains("#+begin_conflict"), "\(content)")
      // Edits of that side's result on the same side no longer conflict.
      let again = OrgMerge.merge(base: versions.ours, ours: Array(content.utf8), theirs: versions.ours)
      #expect(again.content == merge.content)
    }
  }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
