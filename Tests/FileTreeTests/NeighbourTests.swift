import CPOSIX
import Foundation
import SyncKit
import Synchronization
import Testing

@testable import FileTree

/// Other programs on the same files.
@Suite struct NeighbourTests {
  let folder = TestFolder()

  @Test func `a replaced file is kept while another process has it open for writing`() async throws {
    folder.write("old", to: "a.org")
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/a.org", O_WRONLY | O_APPEND, 0)
    let tree = folder.tree()
    #expect(try await tree.replace(a, "old", by: "new").isDone)
    #expect(folder.text("a.org") == "new")
    #expect(folder.temporaries.count == 1)
    try await tree.pass()
    #expect(folder.temporaries.count == 1)
    folder.endWriting(writer)
    try await folder.tree().pass()
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
  }

  @Test func `text written to a replaced file becomes a conflict copy`() async throws {
    folder.write("old", to: "a.org")
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/a.org", O_WRONLY | O_APPEND, 0)
    #expect(try await folder.tree().replace(a, "old", by: "new").isDone)
    #expect(unsafe write(writer, " and more", 9) == 9)
    folder.endWriting(writer)
    try await folder.tree().pass()
    let copy = try #require(folder.conflictCopies.first)
    #expect(folder.text(copy) == "old and more")
    #expect(folder.text("a.org") == "new")
    #expect(folder.names.count == 2)
  }

  @Test(arguments: [true, false])
  func `text written to a replaced file survives a rename of its folder, and a lost journal`(
    hasJournal: Bool
  ) async throws {
    folder.write("old", to: "x/a.org")
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/x/a.org", O_WRONLY | O_APPEND, 0)
    #expect(try await folder.tree().replace(SyncPath("x/a.org")!, "old", by: "new").isDone)
    #expect(unsafe write(writer, " and more", 9) == 9)
    #expect(unsafe rename(folder.path + "/x", folder.path + "/y") == 0)
    var tree = folder.tree()
    if !hasJournal {
      var parts = tree.parts
      parts.journal = MemoryJournal()
      tree = FileTree(path: folder.path, parts: parts)
    }
    try await tree.pass()
    // A program that continues to write into the open file writes to the conflict copy, or keeps the temporary file.
    #expect(folder.temporaries.count == (hasJournal ? 0 : 1))
    #expect(unsafe write(writer, " at last", 8) == 8)
    folder.endWriting(writer)
    try await tree.pass()
    #expect(folder.temporaries.isEmpty && folder.text("y/a.org") == "new")
    let kept = hasJournal ? folder.conflictCopies.compactMap { folder.text($0) } : folder.library.texts
    #expect(kept.contains("old and more at last"), "\(kept)")
    if hasJournal { #expect(folder.journal.count == 0) }
  }

  @Test func `an intent whose folder was removed with its contents is closed`() async throws {
    folder.write("old", to: "x/a.org")
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/x/a.org", O_WRONLY | O_APPEND, 0)
    #expect(try await folder.tree().replace(SyncPath("x/a.org")!, "old", by: "new").isDone)
    #expect(folder.journal.count == 1)
    try FileManager.default.removeItem(atPath: folder.path + "/x")
    try await folder.tree().pass()
    #expect(folder.journal.count == 0)
    folder.endWriting(writer)
  }

  @Test func `text written to a removed file becomes a conflict copy`() async throws {
    folder.write("old", to: "x/a.org")
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/x/a.org", O_WRONLY | O_APPEND, 0)
    #expect(try await folder.tree().replace(SyncPath("x/a.org")!, "old", by: nil).isDone)
    #expect(unsafe write(writer, " and more", 9) == 9)
    folder.endWriting(writer)
    try await folder.tree().pass()
    #expect(folder.conflictCopies.compactMap { folder.text($0) } == ["old and more"])
    #expect(folder.text("x/a.org") == nil)
  }

  @Test func `a write between the check and the end of the commit is detected`() async throws {
    folder.write("old", to: "a.org")
    let folder = folder
    let writer = unsafe posix_openat(AT_FDCWD, folder.path + "/a.org", O_WRONLY | O_APPEND, 0)
    let tree = folder.tree {
      guard $0 == .fileVerified else { return }
      _ = unsafe write(writer, "er", 2)
      folder.endWriting(writer)
    }
    #expect(try await tree.replace(a, "old", by: "new").isDone)
    #expect(folder.text("a.org") == "new")
    #expect(folder.conflictCopies.compactMap { folder.text($0) } == ["older"])
  }

  @Test func `a file that changes while it is read is postponed`() async throws {
    let size = 3 << 20
    folder.write(String(repeating: "a", count: size), to: "a.org")
    let sink = Meddler { folder.write(String(repeating: "b", count: size), to: "a.org") }
    guard case .postponed = try await folder.tree().read([a], into: sink)[0] else {
      Issue.record("a mixture was read")
      return
    }
    #expect(sink.taken.withLock { $0 } == 0)
  }

  @Test(arguments: [2 << 20, 5 << 20])
  func `a file that is truncated or grows while it is read is postponed`(length: Int) async throws {
    let folder = folder
    let original = String(repeating: "a", count: 3 << 20)
    folder.write(original, to: "a.org")
    let sink = Meddler {
      _ = unsafe truncate(folder.path + "/a.org", 0)
      _ = unsafe truncate(folder.path + "/a.org", off_t(length))
    }
    guard case .postponed = try await folder.tree().read([a], into: sink)[0] else {
      Issue.record("a mixture was read")
      return
    }
  }

  @Test func `a file that is written continuously is never read as a mixture`() async throws {
    let folder = folder
    let stop = Mutex(false)
    folder.write(String(repeating: "a", count: 1 << 16), to: "a.org")
    async let writing: Void = Task.detached {
      var letter = 0
      while !stop.withLock({ $0 }) {
        letter += 1
        folder.replace("a.org", by: String(repeating: letter.isMultiple(of: 2) ? "a" : "b", count: 1 << 16))
      }
    }.value
    let tree = folder.tree()
    let sink = Collector()
    for _ in 0..<300 { _ = try await tree.read([a], into: sink) }
    stop.withLock { $0 = true }
    await writing
    #expect(sink.contents.allSatisfy { Set($0).count == 1 && $0.count == 1 << 16 })
  }

  @Test func `a file is absent only if the file system says so`() async throws {
    folder.write("text", to: "a.org")
    let paths = ["b.org", "x/y.org", "a.org/z.org"].map { SyncPath($0)! }
    let tree = folder.tree()
    for presence in try await tree.confirm(paths) {
      guard case .absent = presence else {
        Issue.record("\(presence)")
        continue
      }
    }
    for result in try await tree.read(paths, into: Collector()) {
      guard case .absent = result else {
        Issue.record("\(result)")
        continue
      }
    }
    guard case .present(let entry) = try await tree.confirm([a])[0] else {
      Issue.record("not there")
      return
    }
    #expect(entry.size == 4)
  }

  @Test func `a folder at a file's path, and a file at a folder's path, are kept`() async throws {
    folder.write("text", to: "a.org/inner")
    folder.write("text", to: "b")
    let tree = folder.tree()
    #expect(try await tree.create(a, "new").failure?.code == .pathFailed)
    #expect(try await tree.replace(a, "text", by: nil).failure?.code == .pathFailed)
    #expect(try await tree.create(SyncPath("b/c.org")!, "new").failure?.code == .pathFailed)
    #expect(folder.names == ["a.org/", "a.org/inner", "b"])
  }
}

@Suite struct EmacsLockTests {
  let folder = TestFolder()
  let here = Machine(host: "here.example.org", boot: 1_700_000_000) { $0 == 42 }

  @Test(arguments: [
    ("ann@here.example.org.42:1700000000", true), ("ann@here.example.org.42:1700000003", true),
    ("ann@here.example.org.42", true), ("ann@home@here.example.org.42", true),
    ("ann@here.example.org.43:1700000000", false), ("ann@here.example.org.42:1600000000", false),
    ("ann@elsewhere.42:1700000000", false),
  ])
  func `an Emacs lock counts if its Emacs runs on this machine`(text: String, isHeld: Bool) throws {
    #expect(try #require(EmacsLock(Array(text.utf8))).isHeld(on: here) == isHeld)
  }

  @Test(arguments: ["", "ann", "ann@here", "ann@here.x", "ann@here.-1", "here.42"])
  func `text that is not an Emacs lock is ignored`(text: String) { #expect(EmacsLock(Array(text.utf8)) == nil) }

  @Test(arguments: [true, false])
  func `a file that is being edited is neither replaced nor removed`(isLink: Bool) async throws {
    folder.write("old", to: "a.org")
    let lock = "ann@here.example.org.42:1700000000"
    if isLink {
      #expect(unsafe symlink(lock, folder.path + "/.#a.org") == 0)
    } else {
      folder.write(lock, to: ".#a.org")
    }
    var tree = folder.tree()
    let here = here
    tree.machine = { here }
    #expect(try await tree.replace(a, "old", by: "new").isPostponed)
    #expect(try await tree.replace(a, "old", by: nil).isPostponed)
    #expect(folder.text("a.org") == "old")
    var gone = here
    gone.isAlive = { _ in false }
    tree.machine = { [gone] in gone }
    #expect(try await tree.replace(a, "old", by: "new").isDone)
  }

  @Test func `this machine has a host name, a boot time and live processes`() throws {
    #expect(!Machine.this.host.isEmpty)
    #expect(Machine.this.isAlive(getpid()))
    #expect(Machine.this.isAlive(1))
    #expect(try #require(Machine.this.boot) > 1_000_000_000)
  }
}

/// A sink that runs an action after the first piece of each content.
private final class Meddler: ContentSink {
  let taken = Mutex(0)
  private let meddle: @Sendable () -> Void

  init(_ meddle: @escaping @Sendable () -> Void) { self.meddle = meddle }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await body(Intake(meddle))
    taken.withLock { $0 += 1 }
    return (.empty, 0)
  }

  private final class Intake: ContentIntake {
    private let once: Mutex<(@Sendable () -> Void)?>
    init(_ meddle: @escaping @Sendable () -> Void) { once = Mutex(meddle) }
    func write(_ chunk: [UInt8]) async throws(SyncError) {
      once.withLock { meddle in
        meddle?()
        meddle = nil
      }
    }
  }
}
