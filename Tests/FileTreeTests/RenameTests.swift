import CPOSIX
import Foundation
import ProgramTesting
import SyncKit
import Synchronization
import Testing

@testable import FileTree

/// Files that get another name in a batch.
@Suite struct RenameTests {
  let folder = TestFolder()

  private static let (old, new) = (SyncPath("x/a.org")!, SyncPath("y/b.org")!)

  private func rename(in tree: FileTree) async throws -> [WriteResult] {
    try await tree.commit([
      Change(path: Self.new, content: Content("text"), condition: .absent),
      Change(path: Self.old, content: nil, condition: .unchanged(Revision("")), replaced: Content("text")),
    ])
  }

  private func expectRenamed(_ results: [WriteResult]) throws -> Entry {
    guard case .done(let entry?) = results[0], case .done(nil) = results[1] else { throw TestFailure("\(results)") }
    #expect(folder.names.filter { !$0.hasSuffix("/") && $0 != ReservedName.marker } == ["y/b.org"])
    #expect(folder.text("y/b.org") == "text" && folder.journal.count == 0)
    return entry
  }

  @Test(arguments: [true, false])
  func `a renamed file is the same file with its permissions and time, and is not read again`(isModern: Bool)
    async throws
  {
    folder.write("text", to: "x/a.org")
    #expect(unsafe chmod(folder.path + "/x/a.org", 0o640) == 0)
    try await folder.settleDown()
    let before = try #require(folder.facts("x/a.org"))
    let tree = folder.tree(isModern: isModern)
    let entry = try expectRenamed(try await rename(in: tree))
    let after = try #require(folder.facts("y/b.org"))
    #expect(after.isSameFile(as: before) && after.mode == before.mode && after.modified == before.modified)
    #expect(entry.isFirm && entry.revision == after.revision && entry.digest == Digest(of: "text".utf8))
  }

  @Test("an edit at any moment of a rename is in one file", arguments: TreeFailpoint.allCases, Edit.allCases)
  func edited(moment: TreeFailpoint, edit: Edit) async throws {
    folder.write("text", to: "x/a.org")
    let isEdited = Mutex(false)
    let folder = folder
    let tree = folder.tree { failpoint in
      if failpoint == moment, isEdited.withLock({ !$0 }), edit.make(in: folder) { isEdited.withLock { $0 = true } }
    }
    let results = try await rename(in: tree)
    try await folder.tree().pass()
    let texts = ["x/a.org", "y/b.org"].compactMap { folder.text($0) }
    #expect(texts.count { $0 == "mine" } == (isEdited.withLock { $0 } ? 1 : 0), "\(texts)")
    #expect(
      folder.sharedNames.isEmpty && folder.temporaries.isEmpty && folder.conflictCopies.isEmpty, "\(folder.names)")
    // The next listing shows the edit: its revision is not the one that the commit returned.
    if case .done(let entry?) = results[0], folder.text("y/b.org") == "mine" {
      let revision = try #require(folder.facts("y/b.org")).revision
      #expect(!entry.isFirm || revision != entry.revision)
    }
  }

  /// An edit by another program during a rename.
  enum Edit: CaseIterable {
    case inPlaceUnderOldName, inPlaceUnderNewName, savedUnderOldName, savedUnderNewName

    /// Returns false if the file does not have that name.
    func make(in folder: TestFolder) -> Bool {
      let name = self == .inPlaceUnderOldName || self == .savedUnderOldName ? "x/a.org" : "y/b.org"
      guard folder.text(name) != nil else { return false }
      switch self {
      case .inPlaceUnderOldName, .inPlaceUnderNewName: folder.write("mine", to: name)
      case .savedUnderOldName, .savedUnderNewName: folder.replace(name, by: "mine")
      }
      return true
    }
  }

  @Test func `another version of the same size keeps its name`() async throws {
    folder.write("mine", to: "x/a.org")
    let results = try await rename(in: folder.tree())
    #expect(results[0].isDone && results[1].isRefused, "\(results)")
    #expect(folder.text("y/b.org") == "text" && folder.text("x/a.org") == "mine" && folder.temporaries.isEmpty)
  }

  @Test func `a program that has the file open writes to it under its new name`() async throws {
    folder.write("text", to: "x/a.org")
    let file = unsafe posix_openat(AT_FDCWD, folder.path + "/x/a.org", O_WRONLY | O_CLOEXEC, 0)
    defer { close(file) }
    _ = try expectRenamed(try await rename(in: folder.tree()))
    #expect(unsafe pwrite(file, "mine", 4, 0) == 4)
    #expect(folder.text("y/b.org") == "mine")
  }

  @Test func `a file of the new name that appears meanwhile stays, and so does another version under the old name`()
    async throws
  {
    folder.write("text", to: "x/a.org")
    let folder = folder
    let tree = folder.tree { failpoint in
      if failpoint == .filePublishing, folder.text("y/b.org") == nil {
        folder.write("theirs", to: "y/b.org")
        folder.replace("x/a.org", by: "newer")
      }
    }
    let results = try await rename(in: tree)
    #expect(results[0].isRefused && results[1].isRefused, "\(results)")
    #expect(folder.text("y/b.org") == "theirs" && folder.text("x/a.org") == "newer")
    try await folder.tree().pass()
    #expect(folder.temporaries.isEmpty && folder.journal.count == 0)
  }

  @Test func `files that exchange their names, and a file that becomes a folder, arrive`() async throws {
    folder.write("one", to: "a.org")
    folder.write("two", to: "b.org")
    folder.write("three", to: "c")
    let results = try await folder.tree().commit([
      Change(
        path: SyncPath("a.org")!, content: Content("two"), condition: .unchanged(Revision("")), replaced: Content("one")
      ),
      Change(
        path: SyncPath("b.org")!, content: Content("one"), condition: .unchanged(Revision("")), replaced: Content("two")
      ),
      Change(path: SyncPath("c")!, content: nil, condition: .unchanged(Revision("")), replaced: Content("three")),
      Change(path: SyncPath("c/d.org")!, content: Content("three"), condition: .absent),
    ])
    #expect(results.allSatisfy { $0.isDone }, "\(results)")
    #expect(folder.text("a.org") == "two" && folder.text("b.org") == "one" && folder.text("c/d.org") == "three")
  }

  @Test func `a file that is open in Emacs keeps its name`() async throws {
    folder.write("text", to: "x/a.org")
    let lock = "user@\(Machine.this.host).\(getpid())"
    #expect(unsafe symlink(lock, folder.path + "/x/.#a.org") == 0)
    let results = try await rename(in: folder.tree())
    #expect(results[0].isDone && results[1].isPostponed, "\(results)")
    #expect(folder.text("y/b.org") == "text" && folder.text("x/a.org") == "text" && folder.sharedNames.isEmpty)
  }

  @Test(.enabled(if: getuid() == 0, "mounting needs root"))
  func `a file that moves to another disk is written there`() async throws {
    folder.write("text", to: "x/a.org")
    try FileManager.default.createDirectory(atPath: folder.path + "/y", withIntermediateDirectories: true)
    try Command(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path + "/y"]).succeed()
    let results: [WriteResult]?
    let text: String?
    do { (results, text) = (try? await rename(in: folder.tree()), folder.text("y/b.org")) }
    // The disk may be busy: a program that another test starts inherits all open files until it runs.
    try Command(["umount", "--lazy", folder.path + "/y"]).succeed()
    #expect(results?.allSatisfy { $0.isDone } == true && text == "text")
    #expect(folder.text("x/a.org") == nil)
  }
}
