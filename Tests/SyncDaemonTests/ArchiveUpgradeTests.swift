import Foundation
import SyncDaemon
import SyncKit
import Testing

struct ArchiveUpgradeTests {
  let folder = ScratchFolder()

  private func open(_ steps: String...) throws -> ArchiveOpening {
    let format = ArchiveFormat(steps: ArchiveFormat.current.steps + steps)
    return try SQLiteArchive.open(ArchiveFolder(path: folder.path), as: format, now: World.real.now)
  }

  private func fill() async throws -> Data {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.take("one")
    try await archive.agree(.on("a.org", "one"))
    try await archive.close()
    return try #require(folder.files["archive.sqlite"])
  }

  @Test func anOlderArchiveIsCopiedAndBroughtUpToDate() async throws {
    let before = try await fill()
    let newer = ArchiveFormat(steps: ArchiveFormat.current.steps + [""])
    let error = #expect(throws: SyncError.self) {
      try ReadOnlyArchive(ArchiveFolder(path: folder.path), as: newer, now: World.real.now)
    }
    #expect(error?.message.contains("older") == true)
    let archive = try open("ALTER TABLE journal ADD COLUMN note TEXT", "CREATE TABLE more (x INTEGER) STRICT").get()
    #expect(try await archive.memory(of: "home").base.all == [.on("a.org", "one")])
    #expect(try await archive.text(Digest(of: "one".utf8)) == "one")
    try await archive.close()
    #expect(folder.files["archive.sqlite.format-1"] == before)
    guard case .newer = try open() else {
      Issue.record("the older program opened it")
      return
    }
  }

  @Test func aStepThatFailsLeavesTheOlderArchive() async throws {
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
