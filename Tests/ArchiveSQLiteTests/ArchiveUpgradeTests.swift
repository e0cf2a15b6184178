import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveUpgradeTests {
  let folder = ScratchFolder()

  private func open(_ steps: String...) throws -> ArchiveOpening {
    let format = ArchiveFormat(steps: ArchiveFormat.current.steps + steps)
    return try SQLiteArchive.open(ArchiveFolder(path: folder.path), as: format, now: Runtime.real.now)
  }

  private func fill() async throws -> Data {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.take("one")
    try await archive.agree(.on("a.org", "one"))
    try await archive.close()
    return try #require(folder.files["archive.sqlite"])
  }

  @Test func anOlderArchiveIsCopiedAndUpgraded() async throws {
    let before = try await fill()
    let newer = ArchiveFormat(steps: ArchiveFormat.current.steps + [""])
    let error = #expect(throws: SyncError.self) {
      try ReadOnlyArchive(ArchiveFolder(path: folder.path), as: newer, now: Runtime.real.now)
    }
    #expect(error?.message.contains("older") == true)
    let archive = try open("ALTER TABLE journal ADD COLUMN note TEXT", "CREATE TABLE more (x INTEGER) STRICT").get()
    #expect(try await archive.memory(of: "home").base.all == [.on("a.org", "one")])
    #expect(try await archive.text(Digest(of: "one".utf8)) == "one")
    try await archive.close()
    #expect(folder.files["archive.sqlite.format-\(ArchiveFormat.current.steps.count)"] == before)
    guard case .newer = try open() else {
      Issue.record("the older program opened the new format")
      return
    }
  }

  @Test func conflictsOfTheFirstFormatAreKept() async throws {
    let first = ArchiveFormat(steps: Array(ArchiveFormat.current.steps.prefix(1)))
    let old = try SQLiteArchive.open(ArchiveFolder(path: folder.path), as: first, now: Runtime.real.now).get()
    var record = Record(remote: "home")
    record.opened = [
      OpenConflict(path: .of("a.org"), marked: Digest(of: "m".utf8)),
      OpenConflict(path: .of("c.org"), local: Digest(of: "c".utf8), copy: .of("c.conflict.org")),
    ]
    try await old.record(record)
    try await old.close()
    let archive = try SQLiteArchive.opened(in: folder)
    #expect(try await archive.history.conflicts().map(\.conflict) == record.opened)
    try await archive.close()
  }

  @Test func aFailedUpgradeLeavesTheOlderArchive() async throws {
    _ = try await fill()
    guard case .damaged = try open("ALTER TABLE nothing ADD COLUMN note TEXT") else {
      Issue.record("it was opened")
      return
    }
    let archive = try open().get()
    #expect(try await archive.memory(of: "home").base.count == 1)
    try await archive.close()
    #expect(try await open("CREATE TABLE more (x INTEGER) STRICT").get().memory(of: "home").base.count == 1)
  }
}
