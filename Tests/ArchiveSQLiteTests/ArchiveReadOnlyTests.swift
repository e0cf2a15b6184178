import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveReadOnlyTests {
  let folder = ScratchFolder()

  @Test func aMissingArchiveReadsAsAnEmptyOne() async throws {
    let archive = try ReadOnlyArchive(in: folder.path + "/not/there")
    #expect(try await archive.memory(of: "home").isFirstPass)
    #expect(try await archive.passNumber() == 1)
    #expect(try await archive.history.passes().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  enum State: CaseIterable { case closed, crashed, inUse }

  @Test(arguments: State.allCases) func readingLeavesNoTrace(state: State) async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    let digest = try await archive.take("one")
    try await archive.agree(.on("a.org", "one"), actions: [.done("a.org", .copy)])
    // A copy is an archive that this process has not written.
    let place = state == .inUse ? folder : ScratchFolder()
    if state == .closed { try await archive.close() }
    if state != .inUse {
      try FileManager.default.createDirectory(atPath: place.path + "/contents", withIntermediateDirectories: true)
      for (name, bytes) in folder.files { try bytes.write(to: URL(filePath: place.path + "/" + name)) }
    }
    // Connections of one process share their coordination, whatever mode they were opened in.
    let files = { state == .inUse ? place.durableFiles : place.files }
    let before = files()
    let reader = try ReadOnlyArchive(in: place.path)
    #expect(try await reader.memory(of: "home").base.all == [.on("a.org", "one")])
    #expect(try await reader.content(digest)?.bytes() == Array("one".utf8))
    #expect(try await reader.passNumber() == 2)
    var record = Record(remote: "home")
    record.forgotten = [.of("a.org")]
    try await reader.record(record)
    try await reader.keep([Version(remote: "home", path: .of("a.org"), digest: digest, side: .local)])
    try await reader.journal(of: "home").write(["x": [1]])
    #expect(try await reader.journal(of: "home").records().isEmpty)
    #expect(try await reader.memory(of: "home").base.count == 1)
    try await reader.flush()
    #expect(files() == before)
    _ = archive
  }

  @Test("a reader in the process of the writer does not make the writer's next connection read-only")
  func readerBesideWriter() async throws {
    let first = try SQLiteArchive.opened(in: folder)
    try await first.agree(.on("a.org", "one"))
    do {
      // It is open when the writer closes, so SQLite leaves the write-ahead log where it is.
      let reader = try ReadOnlyArchive(in: folder.path)
      #expect(try await reader.memory(of: "home").base.count == 1)
      try await first.close()
      #expect(try await reader.memory(of: "home").base.count == 1)
    }
    // This one is the first connection to the shared memory, before the writer's.
    SQLiteArchive.expectWriting(in: folder.path)
    let reader = try ReadOnlyArchive(in: folder.path)
    #expect(try await reader.memory(of: "home").base.count == 1)
    let second = try SQLiteArchive.opened(in: folder)
    try await second.agree(.on("b.org", "two"))
    #expect(try await reader.memory(of: "home").base.count == 2)
    try await second.close()
  }

  @Test("a reader that began before the writer leaves the writer's locks, so that other processes keep its log")
  func locksBesideReader() async throws {
    let first = try SQLiteArchive.opened(in: folder)
    try await first.agree(.on("a.org", "one"))
    try await first.close()
    var reader: ReadOnlyArchive? = try ReadOnlyArchive(in: folder.path)
    #expect(try await reader?.memory(of: "home").base.count == 1)
    let second = try SQLiteArchive.opened(in: folder)
    try await second.agree(.on("b.org", "two"))
    reader = nil
    // A program that is the last one to close a database removes its log.
    // Nothing here may read the files themselves: that would release the locks, too.
    let database = folder.path + "/archive.sqlite"
    let script =
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select * from remotes').fetchall(); c.close()"
    try Command(["python3", "-c", script, database]).succeed()
    #expect(FileManager.default.fileExists(atPath: database + "-wal"))
    try await second.agree(.on("c.org", "three"))
    try await second.close()
    #expect(try await ReadOnlyArchive(in: folder.path).memory(of: "home").base.count == 3)
  }

  @Test func contentsReadInADryRunStayInMemory() async throws {
    let archive = try ReadOnlyArchive(in: folder.path)
    let digest = try await archive.intake(keepingAtMost: 100).receive(Array(repeating: 1, count: 100))
    let large = try await archive.intake(keepingAtMost: 100).receive(Array(repeating: 1, count: 101))
    #expect(try await archive.content(digest)?.size == 100)
    #expect(try await archive.content(large) == nil)
    #expect(try await archive.held([digest, large]) == [digest])
    #expect(folder.files.isEmpty)
  }

  @Test func pathsWithURLCharactersWork() async throws {
    let path = folder.path + "/state?mode=rwc #1 %41 ü"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let archive = try SQLiteArchive.open(in: path).get()
    try await archive.agree(.on("a.org", "one"))
    #expect(try await ReadOnlyArchive(in: path).memory(of: "home").base.count == 1)
    try await archive.close()
    #expect(try await ReadOnlyArchive(in: path).memory(of: "home").base.count == 1)
  }
}
