import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveHistoryTests {
  let folder = ScratchFolder()
  let clock = TestClock()

  private func digest(_ text: String) -> Digest { Digest(of: text.utf8) }

  /// Three passes: `a.org` is created, changed and removed; `b.org` exists from the first pass on.
  private func threePasses() async throws -> SQLiteArchive {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    for text in ["one", "two", "b"] { try await archive.take(text) }
    try await archive.agree(.on("a.org", "one"), .on("b.org", "b"), actions: [.done("a.org", .copy)])
    try await archive.record(RemoteResult(remote: "home", result: "synced"))
    clock.day += 1
    try await archive.beginRun()
    try await archive.agree(.on("a.org", "two"), actions: [.done("a.org", .copy, to: .remote)])
    clock.day += 1
    try await archive.beginRun()
    try await archive.agree(actions: [.done("a.org", .remove)], forget: ["a.org"])
    return archive
  }

  @Test func passesAreListedNewestFirst() async throws {
    let history = try await threePasses().history
    let passes = try await history.passes()
    #expect(passes.map(\.number) == [3, 2, 1])
    #expect(passes.map(\.actions.first?.action.kind) == [.remove, .copy, .copy])
    #expect(passes[2].results == [RemoteResult(remote: "home", result: "synced")])
    #expect(passes[0].started.nanoseconds - passes[1].started.nanoseconds == 86_400_000_000_000)
    #expect(try await history.passes(touching: .of("b.org")).isEmpty)
    #expect(try await history.passes(touching: .of("a.org"), atMost: 2).map(\.number) == [3, 2])
    #expect(try await history.pass(4) == nil)
  }

  @Test func passesAreFoundByTheirTime() async throws {
    let history = try await threePasses().history
    let starts = try await history.passes().map(\.started).reversed().map(\.nanoseconds)
    for (number, start) in zip(1..., starts) {
      #expect(try await history.lastPass(at: Timestamp(nanoseconds: start)) == number)
      #expect(try await history.lastPass(at: Timestamp(nanoseconds: start - 1)) == (number == 1 ? nil : number - 1))
    }
    let (first, last) = (Timestamp(nanoseconds: starts[0]), Timestamp(nanoseconds: starts[2]))
    #expect(try await history.passes(since: last).map(\.number) == [3])
    #expect(try await history.passes(until: first).map(\.number) == [1])
    #expect(try await history.passes(touching: .of("a.org"), since: first, until: last, atMost: 1).map(\.number) == [3])
  }

  @Test func deletedFilesAreListedUntilTheyComeBack() async throws {
    let archive = try await threePasses()
    let third = try await archive.history.passes()[0].started
    let gone = try #require(try await archive.history.deletedFiles().first)
    #expect(gone.path == .of("a.org") && gone.pass == 3 && gone.deleted == third)
    #expect(gone.digest == digest("two") && gone.size == 3 && gone.copy == nil)
    #expect(try await archive.history.deletedFiles(since: third) == [gone])
    #expect(try await archive.history.deletedFiles(since: Timestamp(nanoseconds: third.nanoseconds + 1)) == [])
    clock.day += 1
    try await archive.beginRun()
    try await archive.agree(.on("renamed.org", "two"), .on("another.org", "two"))
    #expect(try await archive.history.deletedFiles().map(\.copy) == [.of("another.org")])
    try await archive.agree(.on("a.org", "two"))
    #expect(try await archive.history.deletedFiles() == [])
    clock.day += 1
    try await archive.beginRun()
    try await archive.agree(forget: ["b.org", "a.org"])
    #expect(try await archive.history.deletedFiles().map(\.path) == [.of("a.org"), .of("b.org")])
  }

  @Test func historyKnowsTheStateAfterEachPass() async throws {
    let history = try await threePasses().history
    let a = try await (0...4).asyncMap { try await history.state(of: .of("a.org"), afterPass: $0) }
    #expect(a == [.absent, .content(digest("one")), .content(digest("two")), .absent, .absent])
    #expect(try await history.state(of: .of("b.org"), afterPass: 0) == .content(digest("b")))
    #expect(try await history.state(of: .of("c.org"), afterPass: 3) == .unknown)
  }

  @Test func anEarlierAgreementIsAVersion() async throws {
    let archive = try await threePasses()
    let versions = try await archive.history.versions(of: .of("a.org"))
    #expect(versions.map(\.digest) == [digest("two"), digest("one")])
    #expect(
      versions.map(\.pass) == [3, 2] && versions.map(\.size) == [3, 3] && versions.allSatisfy { $0.side == nil })
    #expect(try await archive.text(versions[1].digest) == "one")
  }

  @Test func keptVersionsAreListed() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let lost = try await archive.take("lost")
    try await archive.keep([Version(remote: "home", path: .of("x.org"), digest: lost, side: .remote)])
    let versions = try await archive.history.versions(of: .of("x.org"))
    #expect(versions.map(\.digest) == [lost] && versions[0].side == .remote && versions[0].displaced == clock.now)
    #expect(try await archive.history.passes().map(\.number) == [1])
  }

  @Test func decisionsHaveTheLastActionAndTheAgreement() async throws {
    let history = try await threePasses().history
    let gone = try await history.decisions(on: .of("a.org"))
    #expect(gone.count == 1 && gone[0].agreement == nil && gone[0].action?.kind == .remove && gone[0].pass == 3)
    let quiet = try await history.decisions(on: .of("b.org"))
    #expect(quiet.count == 1 && quiet[0].agreement == .on("b.org", "b") && quiet[0].action == nil)
    #expect(try await history.decisions(on: .of("c.org")).isEmpty)
  }

  @Test func whatIsLeftOfAHoldKeepsItsStart() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let began = clock.now
    let items = ["a", "b", "c"].map { HeldItem(path: .of($0), digest: .empty, side: .local) }
    var record = Record(remote: "home")
    record.hold = Hold(reason: "3 files would be deleted", items: Set(items))
    try await archive.record(record)
    clock.day += 3
    try await archive.allow(record.hold!.id, only: [items[0]])
    let left = try await archive.history.holds()
    #expect(left.map(\.since) == [began] && left.map(\.hold.items) == [Set(items[1...])])
    #expect(left.map(\.hold.reason) == ["3 files would be deleted; 2 of them are still held"])
  }

  @Test func openItemsAreListedWithTheirStart() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let began = clock.now
    var record = Record(remote: "home")
    record.hold = Hold(reason: "many", items: [HeldItem(path: .of("a"), digest: .empty, side: .local)])
    record.opened = [OpenConflict(path: .of("c.org"), marked: digest("m"))]
    try await archive.record(record)
    clock.day += 3
    try await archive.record(record)
    let hold = try await archive.history.holds()
    #expect(hold.map(\.hold) == [record.hold!] && hold[0].since == began && hold[0].remote == "home")
    #expect(try await archive.history.conflicts().map(\.conflict) == record.opened)
    try await archive.allow(record.hold!.id)
    #expect(try await archive.history.approvals() == [Approval(remote: "home", items: record.hold!.items)])
    var resolved = Record(remote: "home")
    resolved.resolved = [OpenConflict(path: .of("c.org"), base: nil, local: nil, remote: nil)]
    try await archive.record(resolved)
    #expect(try await archive.history.conflicts().isEmpty)
  }

  @Test func factsCountAgreementsContentsAndPasses() async throws {
    let facts = try await threePasses().history.facts()
    #expect(facts.stored > 16_384)
    #expect(
      facts
        == ArchiveFacts(agreements: ["home": 1], contents: 3, bytes: 7, stored: facts.stored, versions: 2, lastPass: 3))
  }

  @Test func aRunThatDidNothingHasNoResult() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    try await archive.record(RemoteResult(remote: "home", result: "synced"))
    #expect(try await archive.history.passes().isEmpty)
  }
}

extension Sequence {
  func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
