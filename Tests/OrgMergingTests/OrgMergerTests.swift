import SyncKit
import Testing

@testable import OrgMerging

@Suite struct OrgMergerTests {
  /// Only a merger that knows the keywords can count the children that are done.
  @Test(arguments: [(["OPEN | FINISHED"], "[2/2]"), ([], "[1/2]")])
  func knowsTheKeywordsOfTheDesktop(todo: [String], cookie: String) throws {
    func text(_ cookie: String, _ one: String, _ two: String) -> [UInt8] {
      Array("* Parent \(cookie)\n** \(one) first\n** \(two) second\n".utf8)
    }
    let path = try #require(SyncPath("a.org"))
    let input = MergeInput(
      path: path, base: text("[0/2]", "OPEN", "OPEN"), local: text("[1/2]", "FINISHED", "OPEN"),
      remote: text("[1/2]", "OPEN", "FINISHED"))
    #expect(OrgMerger(todo: todo).merge([input])[path] == .clean(text(cookie, "FINISHED", "FINISHED")))
  }
}
