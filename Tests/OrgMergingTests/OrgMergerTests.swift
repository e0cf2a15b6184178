import SyncKit
import Testing

@testable import OrgMerging

@Suite struct OrgMergerTests {
  /// Only a merger that knows the keywords can count the children that are done.
  @Test(arguments: [(["OPEN | FINISHED"], "[2/2]"), ([], "[1/2]")])
  func usesTheKeywordsOfTheDesktop(todo: [String], cookie: String) throws {
    func text(_ cookie: String, _ one: String, _ two: String) -> [UInt8] {
      Array("* Parent \(cookie)\n** \(one) first\n** \(two) second\n".utf8)
    }
    let path = try #require(SyncPath("a.org"))
    let input = MergeInput(
      path: path, base: text("[0/2]", "OPEN", "OPEN"), local: text("[1/2]", "FINISHED", "OPEN"),
      remote: text("[1/2]", "OPEN", "FINISHED"))
    #expect(OrgMerger(todo: todo).merge([input])[path] == .clean(text(cookie, "FINISHED", "FINISHED")))
  }

  @Test(
    "without a common version, a text that contains all of the other one is the result, without duplicates",
    arguments: ["a.org", "a.txt"],
    [
      ("* A\ntext\n", "* A\ntext\nmore\n"), ("* A\n* B\n", "* A\n* B\n* C\n"), ("* B\n", "* A\nabove\n* B\n"),
      ("* A\n** B\n", "* A\nbetween\n** B\nbelow\n"), ("* A\n", "* A\n* A\n"),
    ])
  func whole(name: String, texts: (part: String, whole: String)) throws {
    let path = try #require(SyncPath(name))
    let (part, whole) = (Array(texts.part.utf8), Array(texts.whole.utf8))
    for (local, remote) in [(part, whole), (whole, part)] {
      let input = MergeInput(path: path, base: nil, local: local, remote: remote)
      #expect(OrgMerger().merge([input])[path] == .clean(whole))
    }
  }

  @Test("the extension of an Org file is accepted in upper and lower case")
  func endings() {
    for name in ["a.org", "X.ORG", "b.Org_Archive"] { #expect(OrgMerger.isOrg(Array(name.utf8)), "\(name)") }
    for name in ["a.orga", "org", "a.ORK", "a.org~"] { #expect(!OrgMerger.isOrg(Array(name.utf8)), "\(name)") }
  }
}
