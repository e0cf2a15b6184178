import CPOSIX
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import FileTree

@Suite struct CommitTests {
  let folder = TestFolder()

  @Test func `a new file appears whole, with its time and the default mode`() async throws {
    let time = Timestamp(seconds: 1_700_000_000)
    let result = try await folder.tree().commit([
      Change(path: SyncPath("x/y/a.org")!, content: Content("hello"), condition: .absent, modified: time)
    ])[0]
    #expect(folder.text("x/y/a.org") == "hello")
    #expect(result.entry?.digest == Digest(of: "hello".utf8))
    #expect(result.entry?.modified == time)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/x/y/a.org")
    // A program has the mask of the tests; asking for it in this process would change it for the tests that run at the same time.
    let text = try await Command(["sh", "-c", "umask"]).finish().text.trimmingCharacters(in: .whitespacesAndNewlines)
    let mask = try #require(Int(text, radix: 8))
    #expect(attributes[.posixPermissions] as? Int == 0o666 & ~mask)
    #expect(folder.temporaries.isEmpty)
    #expect(folder.journal.writeCount == 1)
  }

  @Test func `a new file never replaces an existing one`() async throws {
    folder.write("mine", to: "a.org")
    let result = try await folder.tree().create(a, "theirs")
    #expect(result.isRefused)
    #expect(result.entry?.size == 4)
    #expect(folder.text("a.org") == "mine")
  }

  @Test func `a new file never replaces one that appears at the last moment`() async throws {
    let folder = folder
    let tree = folder.tree { if $0 == .filePublishing { folder.write("mine", to: "a.org") } }
    #expect(try await tree.create(a, "theirs").isRefused)
    #expect(folder.text("a.org") == "mine")
    #expect(folder.names == ["a.org"])
  }

  @Test func `a new version replaces the expected one and keeps its mode`() async throws {
    folder.write("old", to: "a.org")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/a.org")
    let result = try await folder.tree().replace(a, "old", by: "new")
    #expect(result.isDone)
    #expect(folder.text("a.org") == "new")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/a.org")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `the returned entry of a new version matches the next listing`() async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree()
    let entry = try await tree.replace(a, "old", by: "new").entry
    #expect(try await tree.pass()[a]?.revision == entry?.revision)
  }

  @Test(arguments: [TreeFailpoint.temporaryWritten, .intentWritten, .fileExchanging])
  func `an edit before the exchange survives`(moment: TreeFailpoint) async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree { if $0 == moment { folder.write("mine", to: "a.org") } }
    #expect(try await tree.replace(a, "old", by: "new").isRefused)
    #expect(folder.text("a.org") == "mine")
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `an edit by rename before the exchange survives`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree { if $0 == .fileExchanging { folder.replace("a.org", by: "mine") } }
    #expect(try await tree.replace(a, "old", by: "new").isRefused)
    #expect(folder.text("a.org") == "mine")
    #expect(folder.names == ["a.org"])
  }

  @Test func `both edits around the exchange survive`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree {
      if $0 == .fileExchanging { folder.replace("a.org", by: "first") }
      if $0 == .fileVerified { folder.replace("a.org", by: "second") }
    }
    #expect(try await tree.replace(a, "old", by: "new").isPostponed)
    let copy = try #require(folder.conflictCopies.first)
    #expect(Set([folder.text("a.org"), folder.text(copy)]) == ["first", "second"])
    #expect(folder.names.count == 2)
    #expect(folder.journal.count == 0)
  }

  @Test func `an edit after the exchange is an ordinary edit`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree { if $0 == .fileVerified { folder.replace("a.org", by: "mine") } }
    let entry = try #require(try await tree.replace(a, "old", by: "new").entry)
    #expect(folder.text("a.org") == "mine")
    #expect(try await tree.pass()[a]?.revision != entry.revision)
  }

  @Test func `the user's version remains if ours is removed while it is reverted`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree {
      if $0 == .fileExchanging { folder.write("mine", to: "a.org") }
      if $0 == .fileExchangingBack { folder.remove("a.org") }
    }
    #expect(try await tree.replace(a, "old", by: "new").isRefused)
    #expect(folder.text("a.org") == "mine")
    #expect(folder.names == ["a.org"])
  }

  @Test func `replacing a file that was removed does not create it again`() async throws {
    #expect(try await folder.tree().replace(a, "old", by: "new").isRefused)
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree { if $0 == .fileExchanging { folder.remove("a.org") } }
    #expect(try await tree.replace(a, "old", by: "new").isRefused)
    #expect(folder.names.isEmpty)
  }

  @Test func `a removal deletes the expected version and the folders that become empty`() async throws {
    folder.write("old", to: "x/y/a.org")
    folder.write("other", to: "x/b.org")
    #expect(try await folder.tree().replace(SyncPath("x/y/a.org")!, "old", by: nil).isDone)
    #expect(folder.names == ["x/", "x/b.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `an edit just before a removal survives`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree { if $0 == .fileMovingAway { folder.write("mine", to: "a.org") } }
    #expect(try await tree.replace(a, "old", by: nil).isRefused)
    #expect(folder.text("a.org") == "mine")
    #expect(folder.names == ["a.org"])
  }

  @Test func `both edits around a removal survive`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree {
      if $0 == .fileMovingAway { folder.replace("a.org", by: "first") }
      if $0 == .fileMovedAway { folder.write("second", to: "a.org") }
    }
    #expect(try await tree.replace(a, "old", by: nil).isPostponed)
    let copy = try #require(folder.conflictCopies.first)
    #expect(folder.text("a.org") == "second")
    #expect(folder.text(copy) == "first")
  }

  @Test func `without the replaced content, the revision decides`() async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree()
    let revision = try #require(try await tree.pass()[a]?.revision)
    let stale = Change(path: a, content: Content("new"), condition: .unchanged(Revision("stale")))
    #expect(try await tree.commit([stale])[0].isRefused)
    let fresh = Change(path: a, content: Content("new"), condition: .unchanged(revision))
    #expect(try await tree.commit([fresh])[0].isDone)
    #expect(folder.text("a.org") == "new")
  }

  @Test func `equal content is not written again`() async throws {
    folder.write("same", to: "a.org")
    let before = try #require(try await folder.tree().pass()[a])
    let result = try await folder.tree().replace(a, "same", by: "same")
    #expect(result.entry?.revision == before.revision)
    #expect(result.entry?.digest == Digest(of: "same".utf8))
  }

  @Test func `content that differs from its announced size or digest is never published`() async throws {
    let bytes = Array("something".utf8)
    let lies = [
      Content(bytes, digest: Digest(of: "else".utf8)),
      Content(digest: Digest(of: bytes), size: 100) { () throws(SyncError) in try Content(bytes).reader() },
    ]
    for lie in lies {
      let result = try await folder.tree().commit([Change(path: a, content: lie, condition: .absent)])[0]
      #expect(result.failure != nil)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `content larger than a chunk is written and read back`() async throws {
    let bytes = (0..<3_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let tree = folder.tree()
    let content = Content(digest: Digest(of: bytes), size: bytes.count) { Pieces(rest: bytes[...]) }
    #expect(try await tree.commit([Change(path: a, content: content, condition: .absent)])[0].isDone)
    let sink = Collector()
    guard case .read(let entry) = try await tree.read([a], into: sink)[0] else {
      Issue.record("not read")
      return
    }
    #expect(entry.digest == content.digest)
    #expect(sink.contents == [bytes])
  }

  @Test func `a folder replaces a file and a file replaces a folder in one batch`() async throws {
    folder.write("file", to: "a")
    folder.write("inner", to: "b/c")
    let changes = [
      Change(path: SyncPath("a")!, content: nil, condition: .unchanged(Revision("")), replaced: Content("file")),
      Change(path: SyncPath("a/x")!, content: Content("x"), condition: .absent),
      Change(path: SyncPath("b")!, content: Content("b"), condition: .absent),
      Change(path: SyncPath("b/c")!, content: nil, condition: .unchanged(Revision("")), replaced: Content("inner")),
    ]
    let results = try await folder.tree().commit(changes)
    #expect(results.allSatisfy { $0.isDone })
    #expect(folder.names == ["a/", "a/x", "b"])
  }

  @Test func `the changes of a batch share their waits for the disk`() async throws {
    let paths = (0..<500).map { SyncPath("folder\($0 % 20)/note\($0).org")! }.sorted()
    let tree = folder.tree()
    let created = try await tree.commit(paths.map { Change(path: $0, content: Content("1"), condition: .absent) })
    #expect(created.allSatisfy { $0.isDone })
    let replaced = try await tree.commit(
      paths.map { Change(path: $0, content: Content("2"), condition: .unchanged(Revision("")), replaced: Content("1")) }
    )
    #expect(replaced.allSatisfy { $0.isDone })
    #expect(folder.journal.writeCount == 3)
    let removed = try await tree.commit(
      paths.map { Change(path: $0, content: nil, condition: .unchanged(Revision("")), replaced: Content("2")) })
    #expect(removed.allSatisfy { $0.isDone })
    #expect(folder.names.isEmpty)
  }

  @Test func `folders made for a file that cannot be published are removed again`() async throws {
    let tree = folder.tree { failpoint throws(SyncError) in
      if failpoint == .temporaryWritten { throw SyncError(.noSpace, "full") }
    }
    let result = try await tree.create(SyncPath("x/y/a.org")!, "text")
    #expect(result.failure?.code == .noSpace)
    #expect(folder.names.isEmpty)
  }

  @Test func `a temporary file whose sync fails is discarded`() async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree { failpoint throws(SyncError) in
      if failpoint == .temporarySyncing { throw SyncError(.pathFailed, "input/output error") }
    }
    #expect(try await tree.replace(a, "old", by: "new").failure != nil)
    #expect(folder.text("a.org") == "old")
    #expect(folder.names == ["a.org"])
  }

  @Test func `a replaced version stays until the next pass if the folder may not be durable`() async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree { failpoint throws(SyncError) in
      if failpoint == .folderSyncing { throw SyncError(.pathFailed, "input/output error") }
    }
    #expect(try await tree.replace(a, "old", by: "new").isUnknown)
    #expect(folder.journal.count == 1)
    #expect(folder.temporaries.compactMap { folder.text($0) } == ["old"])
    try await folder.tree().pass()
    #expect(folder.names == ["a.org"])
    #expect(folder.text("a.org") == "new")
    #expect(folder.journal.count == 0)
  }

  @Test func `where names cannot be exchanged, the old version moves away first`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let tree = folder.tree(isModern: false)
    #expect(try await tree.replace(a, "old", by: "new").isDone)
    #expect(folder.text("a.org") == "new")
    #expect(try await tree.create(SyncPath("b.org")!, "b").isDone)
    #expect(try await tree.create(SyncPath("b.org")!, "c").isRefused)
    #expect(try await tree.replace(SyncPath("b.org")!, "b", by: nil).isDone)
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `where names cannot be exchanged, an edit survives as well`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let early = folder.tree(isModern: false) { if $0 == .fileMovingAway { folder.replace("a.org", by: "mine") } }
    #expect(try await early.replace(a, "old", by: "new").isRefused)
    #expect(folder.text("a.org") == "mine")
    let late = folder.tree(isModern: false) { if $0 == .filePublishing { folder.write("later", to: "a.org") } }
    #expect(try await late.replace(a, "mine", by: "new").isRefused)
    #expect(folder.text("a.org") == "later")
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `after an error while the name is free, the next pass restores the old version`() async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree(isModern: false) { failpoint throws(SyncError) in
      if failpoint == .filePublishing { throw SyncError(.pathFailed, "input/output error") }
    }
    #expect(try await tree.replace(a, "old", by: "new").isUnknown)
    try await folder.tree(isModern: false).pass()
    #expect(folder.text("a.org") == "old")
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test(arguments: [TreeFailpoint.fileExchanging, .fileExchanged, .fileVerified, .temporaryDiscarding])
  func `an error at an unknown step is handled like a crash`(moment: TreeFailpoint) async throws {
    folder.write("old", to: "a.org")
    let tree = folder.tree { failpoint throws(SyncError) in
      if failpoint == moment { throw SyncError(.pathFailed, "input/output error") }
    }
    _ = try await tree.replace(a, "old", by: "new")
    try await folder.tree().pass()
    #expect(["old", "new"].contains(folder.text("a.org")))
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `reserved names cannot be written`() async throws {
    let result = try await folder.tree().create(SyncPath("x.syncd-y.tmp")!, "text")
    guard case .cannot = result else {
      Issue.record("it was written")
      return
    }
    #expect(folder.names.isEmpty)
  }

  @Test func `the marker is written like any other file`() async throws {
    let marker = SyncPath(ReservedName.marker)!
    let tree = folder.tree()
    #expect(try await tree.create(marker, "id x").isDone)
    guard case .read = try await tree.read([marker], into: Collector())[0] else {
      Issue.record("not read")
      return
    }
    #expect(try await tree.pass().count == 0)
  }
}

/// Reads in pieces of an odd size.
private struct Pieces: ContentReader {
  var rest: ArraySlice<UInt8>

  mutating func next() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(300_007) }
    return Array(rest.prefix(300_007))
  }
}
