import SyncKit
import Testing

@Suite("Renames in a batch of changes")
struct ChangeRenameTests {
  private let text = Content(Array("text".utf8))
  private let other = Content(Array("other".utf8))

  private func path(_ text: String) throws -> SyncPath { try #require(SyncPath(text)) }

  private func creation(_ name: String, _ content: Content) throws -> Change {
    Change(path: try path(name), content: content, condition: .absent)
  }

  private func removal(_ name: String, _ content: Content?) throws -> Change {
    Change(path: try path(name), content: nil, condition: .unchanged(Revision("1")), replaced: content)
  }

  private func pairs(_ changes: [Change]) -> [[Int]] { changes.renames.map { [$0.creation, $0.removal] } }

  @Test func `a new file and a removal of the same content are a rename`() throws {
    let changes = [try removal("a", text), try creation("b", other), try creation("c", text)]
    #expect(pairs(changes) == [[2, 0]])
  }

  @Test func `each change is part of one rename at most`() throws {
    let changes = [
      try creation("a", text), try creation("b", text), try removal("c", text), try removal("d", text),
      try removal("e", text),
    ]
    #expect(
      pairs(changes) == [[0, 2], [1, 3]])
  }

  @Test func `a replaced file, other contents and removals of unknown contents are no rename`() throws {
    let replaced = Change(
      path: try path("b"), content: text, condition: .unchanged(Revision("2")), replaced: other)
    #expect([try removal("a", text), replaced].renames.isEmpty)
    #expect([try removal("a", other), try creation("b", text)].renames.isEmpty)
    #expect([try removal("a", nil), try creation("b", text)].renames.isEmpty)
  }

  @Test(arguments: [("a", "a/b"), ("a/b", "a"), ("a", "A")])
  func `a removal that makes room for the new file is no rename`(old: String, new: String) throws {
    #expect([try removal(old, text), try creation(new, text)].renames.isEmpty)
  }
}
