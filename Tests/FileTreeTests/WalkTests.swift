import CPOSIX
import Foundation
import SyncKit
import Testing

@testable import FileTree

@Suite struct WalkTests {
  let folder = TestFolder()

  @Test func `entries come in folder order`() async throws {
    for name in ["b.org", "a/x.org", "a.org", "a-b.org", "a/b/c.org", "Z.org"] { folder.write(name, to: name) }
    let snapshot = try await folder.tree().list(since: Known())
    let names = snapshot.entries.map { $0.path.description }
    #expect(names == ["Z.org", "a/b/c.org", "a/x.org", "a-b.org", "a.org", "b.org"])
    #expect(snapshot.isComplete && snapshot.unread.isEmpty)
  }

  @Test func `a missing root is not found`() async throws {
    let tree = FileTree(path: folder.path + "/nothing", parts: folder.tree().parts)
    await #expect(throws: SyncError.self) { try await tree.list(since: Known()) }
    do throws(SyncError) { _ = try await tree.list(since: Known()) } catch { #expect(error.code == .notFound) }
  }

  @Test func `a diagnosis names unreadable folders, and says if not all folders can be watched`() async throws {
    for name in ["a.org", "b/a.org", "b/c/a.org"] { folder.write("text", to: name) }
    var tree = folder.tree()
    #expect(try await tree.diagnose() == [Finding(.good, "\(folder.path) is reachable and holds 3 files")])
    tree.watchLimit = 3
    #expect(try await tree.diagnose().count == 1)
    tree.watchLimit = 2
    let finding = try #require(try await tree.diagnose().last)
    #expect(finding.level == .note && finding.text.hasPrefix("it has 3 folders, but the system watches only 2 "))
  }

  @Test func `a root that is a link is the linked folder`() async throws {
    folder.write("text", to: "a.org")
    #expect(unsafe symlink(folder.path, folder.outer + "/link") == 0)
    let tree = FileTree(path: folder.outer + "/link", parts: folder.tree().parts)
    let (linked, direct) = (try await tree.list(since: Known()), try await folder.tree().list(since: Known()))
    #expect(linked.count == 1 && linked.root.id == direct.root.id)
  }

  @Test func `a root that is a file is refused`() async throws {
    folder.write("text", to: "a.org")
    let tree = FileTree(path: folder.path + "/a.org", parts: folder.tree().parts)
    do throws(SyncError) {
      _ = try await tree.list(since: Known())
      Issue.record("the file was listed as a folder")
    } catch { #expect(error.code == .wrongReplica) }
  }

  @Test func `another root at the same path stops reads, lookups and writes`() async throws {
    folder.write("text", to: "a.org")
    let tree = folder.tree()
    _ = try await tree.list(since: Known())
    #expect(unsafe rename(folder.path, folder.outer + "/away") == 0)
    for replaced in [false, true] {
      if replaced { try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true) }
      do throws(SyncError) {
        _ = try await tree.confirm([a])
        Issue.record("another root was accepted as the same")
      } catch { #expect(error.code == .wrongReplica) }
    }
  }

  @Test func `links, pipes and sockets are unread and never followed`() async throws {
    folder.write("text", to: "real/a.org")
    #expect(unsafe symlink("real", folder.path + "/link") == 0)
    #expect(unsafe symlink("nowhere", folder.path + "/dangling.org") == 0)
    #expect(unsafe mkfifo(folder.path + "/pipe.org", 0o600) == 0)
    let tree = folder.tree()
    let snapshot = try await tree.list(since: Known(filter: PathFilter(include: ["**/*.org"])))
    #expect(snapshot.count == 1)
    #expect(
      snapshot.unread == [
        Unread(SyncPath("dangling.org")!, .special("a symbolic link")),
        Unread(SyncPath("link")!, .special("a symbolic link")), Unread(SyncPath("pipe.org")!, .special("a pipe")),
      ])
    let paths = ["dangling.org", "link/a.org", "pipe.org"].map { SyncPath($0)! }
    for result in try await tree.read(paths, into: Collector()) {
      guard case .failed(let error) = result else {
        Issue.record("it was read: \(result)")
        continue
      }
      #expect(error.code == .pathFailed)
    }
    for presence in try await tree.confirm(paths) {
      guard case .unknown = presence else {
        Issue.record("the lookup returned \(presence)")
        continue
      }
    }
  }

  @Test func `a link planted in the middle of a path is never followed by a write`() async throws {
    let outside = folder.outer + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    #expect(unsafe symlink(outside, folder.path + "/x") == 0)
    let result = try await folder.tree().create(SyncPath("x/a.org")!, "text")
    #expect(result.failure?.code == .pathFailed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
  }

  @Test func `a link planted during a change is not followed`() async throws {
    let folder = folder
    let outside = folder.outer + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
    folder.write("old", to: "x/y/a.org")
    let tree = folder.tree {
      guard $0 == .intentWritten else { return }
      #expect(unsafe rename(folder.path + "/x/y", folder.outer + "/moved") == 0)
      #expect(unsafe symlink(outside, folder.path + "/x/y") == 0)
    }
    let result = try await tree.replace(SyncPath("x/y/a.org")!, "old", by: "new")
    #expect(!result.isDone || FileManager.default.contents(atPath: folder.outer + "/moved/a.org") == Data("new".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
  }

  @Test func `names are bytes in every operation`() async throws {
    let names: [[UInt8]] = [
      [0xFF, 0xFE], Array("new\nline.org".utf8), Array("-rf.org".utf8), Array(" .org".utf8), Array("*.org".utf8),
      Array("\u{E9}.org".utf8), Array("e\u{301}.org".utf8), Array(repeating: UInt8(ascii: "n"), count: 255), [0x07],
      Array("...".utf8),
    ]
    let paths = names.map { SyncPath(bytes: $0)! }.sorted()
    let tree = folder.tree()
    let results = try await tree.commit(
      paths.map { Change(path: $0, content: Content($0.bytes), condition: .absent) })
    #expect(results.allSatisfy { $0.isDone })
    let snapshot = try await tree.pass()
    #expect(snapshot.entries.map(\.path) == paths)
    let sink = Collector()
    _ = try await tree.read(paths, into: sink)
    #expect(sink.contents == paths.map(\.bytes))
    let replaced = try await tree.commit(
      paths.map { Change(path: $0, content: nil, condition: .unchanged(Revision("")), replaced: Content($0.bytes)) })
    #expect(replaced.allSatisfy { $0.isDone })
    #expect(folder.names.isEmpty)
  }

  @Test func `the walk ignores filtered and reserved names`() async throws {
    for name in ["a.org", "a.org~", ".git/config", "x/#a.org#", "b.syncd-1.tmp", ".syncd-root"] {
      folder.write("text", to: name)
    }
    #expect(unsafe symlink("ann@here.1", folder.path + "/.#a.org") == 0)
    let snapshot = try await folder.tree().snapshot(
      since: Known(filter: PathFilter(ignore: DefaultIgnores.lines)))
    #expect(snapshot.entries.map(\.path) == [a])
    #expect(snapshot.unread.isEmpty)
  }

  @Test func `a tree deeper than the descriptor limit is walked`() async throws {
    var current = try Folder.root(at: folder.path)
    for _ in 0..<3_000 {
      #expect(unsafe mkdirat(current.number, "d", 0o755) == 0)
      current = try current.folder(FileName("d"))
    }
    let file = unsafe posix_openat(current.number, "a.org", O_WRONLY | O_CREAT, 0o644)
    #expect(file >= 0)
    close(file)
    let snapshot = try await folder.tree().list(since: Known())
    #expect(snapshot.count == 1 && snapshot.unread.isEmpty)
    for _ in 0..<3_000 {
      let parent = try current.parent()
      for name in ["a.org", "d"] {
        _ = unsafe unlinkat(current.number, name, name == "d" ? AT_REMOVEDIR : 0)
      }
      current = parent
    }
  }

  @Test func `a file's revision is firm once the clock has advanced`() {
    let second: Int64 = 1_000_000_000
    func facts(_ modified: Int64, _ changed: Int64) -> FileFacts {
      var facts = stat()
      facts.st_mtim = timespec(tv_sec: Int(modified / second), tv_nsec: Int(modified % second))
      facts.st_ctim = timespec(tv_sec: Int(changed / second), tv_nsec: Int(changed % second))
      return FileFacts(facts)
    }
    let now = 1_000 * second + 500_000_000
    let firmness = Firmness(from: Timestamp(nanoseconds: now))
    #expect(firmness.covers(facts(now - 30_000_000, now - 30_000_000)))
    #expect(!firmness.covers(facts(now - 15_000_000, now - 30_000_000)))
    #expect(!firmness.covers(facts(now - 30_000_000, now - 15_000_000)))
    #expect(!firmness.covers(facts(now - 30_000_000, now + second)))
    #expect(!firmness.covers(facts(997 * second, 997 * second)))
    #expect(firmness.covers(facts(996 * second, 996 * second)))
    #expect(firmness.covers(facts(999 * second, now - 30_000_000)))
  }

  @Test func `a new file with an old time is known at once, and so is a write to it`() async throws {
    folder.write("", to: "b.org")
    let tree = folder.tree()
    let old = Timestamp(seconds: 1_700_000_000)
    let change = Change(path: a, content: Content("one"), condition: .absent, modified: old)
    let made = try #require(try await tree.commit([change])[0].entry)
    folder.write("two", to: "a.org")
    #expect(made.isFirm)
    #expect(try await tree.list(since: Known())[a]?.revision != made.revision)
    let timeless = Change(path: SyncPath("c.org")!, content: Content("one"), condition: .absent)
    #expect(try await tree.commit([timeless])[0].entry?.isFirm == false)
  }

  @Test func `a file with a time in the future is checked again, and an unchanged one is known`() async throws {
    folder.write("text", to: "a.org")
    let file = try Folder.root(at: folder.path).file(a.fileName)
    let tree = folder.tree()
    try file.set(modified: 4_000_000_000_000_000_000)
    #expect(try await tree.list(since: Known())[a]?.isFirm == false)
    try file.set(modified: 1_000_000_000_000_000_000)
    try await folder.settleDown()
    #expect(try await tree.list(since: Known())[a]?.isFirm == true)
  }

  @Test func `every kind of change changes a file's revision`() async throws {
    folder.write("one", to: "a.org")
    let tree = folder.tree()
    var seen: Set<Revision> = []
    let folder = folder
    let edits: [() throws -> Void] = [
      {}, { folder.write("two", to: "a.org") }, { folder.replace("a.org", by: "two") },
      { folder.replace("a.org", by: "longer") },
      {
        let root = try Folder.root(at: folder.path)
        let time = try root.facts(of: a.fileName).modified
        folder.write("former", to: "a.org")
        try root.file(a.fileName).set(modified: time)
      },
    ]
    for edit in edits {
      try edit()
      seen.insert(try #require(try await tree.list(since: Known())[a]).revision)
      try await folder.settleDown()
    }
    #expect(seen.count == edits.count)
  }

  @Test func `the probe detects a case-sensitive file system and leaves no leftovers`() async throws {
    let tree = folder.tree()
    try await tree.recover()
    #expect(try await tree.naming() == NamingRules())
    #expect(folder.names.isEmpty)
    let writes = folder.journal.writeCount
    try await folder.tree().recover()
    #expect(folder.journal.writeCount == writes)
  }
}
