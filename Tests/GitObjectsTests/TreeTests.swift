import GitObjects
import SyncKit
import Testing

@Suite("Trees of git") struct TreeTests {
  /// Trees by id, as a repository has them.
  private struct Trees {
    var trees: [ObjectID: GitTree] = [:]
    var damaged: Set<ObjectID> = []

    func tree(_ id: ObjectID) throws(SyncError) -> GitTree {
      guard !damaged.contains(id), let tree = trees[id] else {
        throw SyncError(.pathFailed, "the folder is damaged")
      }
      return tree
    }
  }

  private static func id(_ number: UInt8) -> ObjectID { ObjectID(bytes: Array(repeating: number, count: 20)) }

  private static func entry(_ mode: GitTree.Mode, _ name: String, _ number: UInt8) -> GitTree.Entry {
    GitTree.Entry(mode: mode, name: Array(name.utf8), id: id(number))
  }

  /// A root with a file, a sound folder and a damaged one.
  private static let half = Trees(
    trees: [
      id(1): GitTree(entries: [entry(.file, "a.org", 10), entry(.folder, "bad", 2), entry(.folder, "good", 3)]),
      id(3): GitTree(entries: [entry(.file, "b.org", 11)]),
    ], damaged: [id(2)])

  @Test("an id is forty hexadecimal digits")
  func ids() {
    let text = String(repeating: "0aF9", count: 10)
    #expect(ObjectID(text)?.description == text.lowercased())
    for wrong in ["", String(text.dropLast()), text + "0", String(text.dropLast()) + "g"] {
      #expect(ObjectID(wrong) == nil, "\(wrong)")
    }
  }

  @Test("a folder sorts as if its name ended in a slash, and an encoded tree is decoded unchanged")
  func order() throws {
    let tree = GitTree(entries: [
      Self.entry(.folder, "a", 1), Self.entry(.file, "a0", 2), Self.entry(.file, "a.b", 3), Self.entry(.file, "a-", 4),
    ])
    let decoded = try #require(GitTree(bytes: tree.bytes))
    #expect(decoded.entries.map { String(decoding: $0.name, as: UTF8.self) } == ["a-", "a.b", "a", "a0"])
    #expect(decoded.bytes == tree.bytes)
  }

  @Test("a damaged folder is an unread part, so that nothing in it counts as deleted")
  func damagedFolder() throws {
    var walk = TreeWalk(
      TreeWalk.Store(tree: { id throws(SyncError) in try Self.half.tree(id) }, file: { _ throws(SyncError) in [] }),
      since: Known())
    try walk.run(Self.id(1))
    let snapshot = walk.builder.finish(root: RootIdentity(address: "test", id: nil))
    #expect(snapshot.entries.map(\.path.description) == ["a.org", "good/b.org"])
    #expect(snapshot.unread.map(\.path.description) == ["bad"])
    #expect(try snapshot.isUnknown(#require(SyncPath("bad/c.org"))))
  }

  @Test("a change in a damaged folder fails, and the others of its batch are made")
  func damagedChange() throws {
    let edit = try TreeEdit(
      Self.id(1),
      in: TreeEdit.Store(
        read: { id throws(SyncError) in try Self.half.tree(id) }, write: { _ throws(SyncError) in Self.id(9) }))
    let paths = try ["bad/new.org", "good/new.org"].map { try #require(SyncPath($0)) }
    let changes = paths.map { Change(path: $0, content: Content([1]), condition: .absent) }
    let staged = changes.map { _ in
      Result<StagedContent, SyncError>.success(StagedContent(id: Self.id(8), hasCRLF: false))
    }
    let proposal = try Proposal(changes, staged, to: edit, Attributes(), NamingRules())
    guard case .failed? = proposal.results[0] else {
      Issue.record("a folder that cannot be read was changed")
      return
    }
    #expect(proposal.files.map(\.path) == [paths[1]])
  }
}
