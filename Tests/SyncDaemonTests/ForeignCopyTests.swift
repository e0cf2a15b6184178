import SyncDaemon
import SyncKit
import Testing

@Suite("Conflict copies of other programs are recognized by their names") struct ForeignCopyTests {
  private static let copies = [
    ("notes.sync-conflict-20261120-101500-ABCDEFG.org", "notes.org"),
    ("notes.sync-conflict-20261120-101500.org", "notes.org"),
    ("a/b.c.sync-conflict-20261120-101500-ABCDEFG.org", "a/b.c.org"),
    ("notes.sync-conflict-20261120-101500-ABCDEFG.sync-conflict-20261121-101500-ABCDEFG.org", "notes.org"),
    ("notes (Ann's conflicted copy 2026-11-20).org", "notes.org"),
    ("notes (laptop’s conflicted copy 2026-11-20 (1)).org", "notes.org"),
    ("notes (conflicted copy 2026-11-20 101500).org", "notes.org"),
    ("notes (conflicted copy ann 2026-11-20 101500).org", "notes.org"),
    ("notes_conflict-20261120-101500.org", "notes.org"),
    ("notes (SFConflict ann@example.org 2026-11-20-10-15-00).org", "notes.org"),
    ("README (Ann's conflicted copy 2026-11-20)", "README"),
  ]

  @Test("the name of a copy leads to its file", arguments: copies)
  func certain(name: String, file: String) throws {
    let path = try #require(SyncPath(name))
    let copy = try #require(ForeignCopy(path))
    #expect(copy.file.description == file && !copy.isUncertain)
    // A copy whose file is gone is listed, too.
    #expect(ForeignCopy.all(among: [copy.path]) == [copy])
  }

  @Test(
    "a name that other files can have is that of a copy only if the file exists",
    arguments: [("Chapter 2.org", "Chapter.org"), ("notes.org.orig", "notes.org"), ("a/b 9.txt", "a/b.txt")])
  func uncertain(name: String, file: String) throws {
    let (copy, original) = try (#require(SyncPath(name)), #require(SyncPath(file)))
    #expect(ForeignCopy.all(among: [copy]).isEmpty)
    let found = ForeignCopy.all(among: [copy, original])
    #expect(found.map(\.path) == [copy] && found.map(\.file) == [original] && found.allSatisfy(\.isUncertain))
  }

  @Test(
    "the name of an ordinary file is not that of a copy",
    arguments: [
      "notes.org", "sync-conflict.org", "notes.sync-conflict.org", "notes (copy).org", "conflicted copy.org",
      "notes (2026-11-20).org", "Chapter 12.org", "Chapter 1.org", "2.org", " 2.org", ".orig", "Chapter 2",
      "notes.conflict-20261120T1015Z-laptop-0123abcd.org", "notes_conflict.org", "original.org",
    ])
  func ordinary(name: String) throws {
    let paths = ["notes.org", "Chapter.org", "Chapter", "a.org"].compactMap { SyncPath($0) }
    #expect(ForeignCopy.all(among: paths + [try #require(SyncPath(name))]).isEmpty)
  }
}
