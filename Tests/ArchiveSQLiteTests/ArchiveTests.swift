import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveTests {
  let folder = ScratchFolder()
  let clock = TestClock()

  private func reopened() throws -> SQLiteArchive { try .opened(in: folder, clock) }

  @Test func aNewArchiveIsEmpty() async throws {
    let memory = try await reopened().memory(of: "home")
    #expect(memory.isFirstPass && memory.base.isEmpty && memory.generation == 0)
    #expect(memory.hold == nil && memory.allowed.isEmpty && memory.conflicts.isEmpty && memory.deletedToday == 0)
  }

  @Test func recordedDataIsThereAfterReopening() async throws {
    let home = RootIdentity(address: "/home", id: "store", generation: nil)
    let away = RootIdentity(address: "dav://x", id: nil, generation: 7)
    var record = Record(remote: "home")
    record.agreements = [.on("b.org", "two"), .on("a/z.org", "one"), .on("a.org", "three")]
    record.roots = (home, away)
    record.cursors = (nil, Cursor(bytes: [1, 0, 2]))
    record.opened = [OpenConflict(path: .of("c.org"), local: Digest(of: [1]), copy: .of("d.org"))]
    record.hold = Hold(
      reason: "many", items: [HeldItem(path: .of("h.org"), digest: Digest(of: [2]), side: .remote)])
    record.deletions = 3
    try await reopened().record(record)

    let memory = try await reopened().memory(of: "home")
    #expect(memory.base.all.map(\.path) == [.of("a/z.org"), .of("a.org"), .of("b.org")])
    #expect(Set(memory.base.all) == Set(record.agreements))
    #expect(memory.base[.of("a.org")] == .on("a.org", "three"))
    #expect(memory.localRoot == home && memory.remoteRoot == away)
    #expect(memory.localCursor == nil && memory.remoteCursor == Cursor(bytes: [1, 0, 2]))
    #expect(memory.conflicts == record.opened && memory.hold == record.hold && memory.deletedToday == 3)
    #expect(memory.generation == 8)
    #expect(try await reopened().memory(of: "other").base.isEmpty)
  }

  @Test func basesAreSortedInFolderOrder() async throws {
    let names = ["a", "a b", "a.b", "a/b", "a/b/c", "a\u{1}", "é", "ab", "a-b/c", "z/a"]
    let archive = try reopened()
    for name in names { try await archive.agree(.on(name, name)) }
    #expect(try await archive.memory(of: "home").base.all.map(\.path) == names.map(SyncPath.of).sorted())
  }

  @Test func theGenerationCountsOnlyChangesOfTheBase() async throws {
    let archive = try reopened()
    try await archive.agree(.on("a.org", "one"))
    try await archive.agree(.on("a.org", "one"))
    var cursors = Record(remote: "home")
    cursors.cursors = (nil, Cursor(bytes: [1]))
    try await archive.record(cursors)
    #expect(try await archive.memory(of: "home").generation == 1)
    try await archive.agree(forget: ["a.org"])
    #expect(try await archive.memory(of: "home").generation == 2)
    #expect(try await archive.memory(of: "home").base.isEmpty)
  }

  @Test func startingAgainForgetsTheBaseAndIncreasesTheGeneration() async throws {
    let archive = try reopened()
    try await archive.agree(.on("a.org", "one"))
    var again = Record(remote: "home")
    again.startsAgain = true
    again.agreements = [.on("b.org", "two")]
    try await archive.record(again)
    let memory = try await archive.memory(of: "home")
    #expect(memory.base.all == again.agreements && memory.isFirstPass && memory.generation == 2)
  }

  @Test func aRunGetsItsNumberWithItsFirstWrite() async throws {
    let archive = try reopened()
    #expect(try await archive.passNumber() == 1)
    try await archive.beginRun()
    #expect(try await archive.passNumber() == 1)
    try await archive.agree(.on("a.org", "one"), actions: [.done("a.org", .copy)])
    #expect(try await archive.passNumber() == 1)
    try await archive.beginRun()
    #expect(try await archive.passNumber() == 2)
    #expect(try await reopened().passNumber() == 2)
  }

  @Test func aRunOfItsOwnSharesNoNumber() async throws {
    let archive = try reopened()
    let unused = try await archive.withOwnRun()
    #expect(try await (unused.passNumber(), archive.passNumber()) == (1, 2))
    let own = try await archive.withOwnRun()
    #expect(try await own.passNumber() == 1)
    try await own.agree(actions: [.done("a.org", .copy)])
    try await archive.agree(actions: [.done("b.org", .copy)])
    try await archive.beginRun()
    let next = try await archive.withOwnRun()
    try await archive.agree(actions: [.done("c.org", .copy)])
    try await next.agree(actions: [.done("d.org", .copy)])
    let passes = try await archive.history.passes()
    #expect(passes.map { $0.actions.map(\.action.path.description) } == [["c.org"], ["d.org"], ["b.org"], ["a.org"]])
    #expect(passes.map(\.number) == [4, 3, 2, 1])
  }

  @Test func anUnchangedRecordWritesNothing() async throws {
    let archive = try reopened()
    try await archive.agree(.on("a.org", "one"))
    let before = folder.durableFiles
    try await archive.agree(.on("a.org", "one"))
    #expect(folder.durableFiles == before)
  }

  @Test func journalsAreSeparateAndDurable() async throws {
    let journal = try reopened().journal(of: "home")
    try await journal.write(["a": [1, 2], "b": [], "c": [3]])
    try await journal.write(["a": nil, "b": [4], "d": nil])
    #expect(try await reopened().journal(of: "home").records() == ["b": [4], "c": [3]])
    #expect(try await reopened().journal(of: "store").records().isEmpty)
  }

  @Test func textsMayContainAnyCharacter() async throws {
    let archive = try reopened()
    var record = Record(remote: "home")
    record.roots = (RootIdentity(address: "a\0b", id: ""), RootIdentity(address: "", id: "\u{FFFD}é"))
    record.hold = Hold(reason: "x\0y", items: [HeldItem(path: .of("a"), digest: .empty, side: .local)])
    try await archive.record(record)
    try await archive.journal(of: "home").write(["k\0e": [0], "k": [1]])
    let memory = try await archive.memory(of: "home")
    #expect(memory.localRoot == record.roots?.local && memory.remoteRoot == record.roots?.remote)
    #expect(memory.hold == record.hold)
    #expect(try await archive.journal(of: "home").records() == ["k\0e": [0], "k": [1]])
  }

  @Test func deletionsCountForADayAlsoWithAClockInTheFuture() async throws {
    let archive = try reopened()
    var record = Record(remote: "home")
    record.deletions = 2
    try await archive.record(record)
    clock.day += 0.9
    #expect(try await archive.memory(of: "home").deletedToday == 2)
    clock.day -= 30
    #expect(try await archive.memory(of: "home").deletedToday == 2)
    clock.day += 31
    #expect(try await archive.memory(of: "home").deletedToday == 0)
  }

  @Test func usedApprovalsAreRemoved() async throws {
    let archive = try reopened()
    let items = ["a.org", "b.org"].map { HeldItem(path: .of($0), digest: Digest(of: [1]), side: .local) }
    var record = Record(remote: "home")
    record.hold = Hold(reason: "many", items: Set(items))
    try await archive.record(record)
    #expect(try await archive.allow(record.hold!.id) == ["home"])
    #expect(try await archive.memory(of: "home").allowed == Set(items))
    #expect(try await archive.memory(of: "home").hold == nil)
    var used = Record(remote: "home")
    used.used = [items[0]]
    try await archive.record(used)
    #expect(try await reopened().memory(of: "home").allowed == [items[1]])
  }

  @Test func onlyTheListedSetCanBeApproved() async throws {
    let archive = try reopened()
    var record = Record(remote: "home")
    record.hold = Hold(reason: "many", items: [HeldItem(path: .of("a"), digest: .empty, side: .local)])
    try await archive.record(record)
    let shown = record.hold!.id
    record.hold!.items.insert(HeldItem(path: .of("b"), digest: .empty, side: .local))
    try await archive.record(record)
    await #expect(throws: SyncError.self) { try await archive.allow(shown) }
    #expect(try await archive.memory(of: "home").hold == record.hold)
  }
}

extension Action {
  static func done(_ path: String, _ kind: Kind, to target: Target = .local) -> Action {
    Action(path: .of(path), kind: kind, to: target, result: .done)
  }
}
