import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchivePruningTests {
  let folder = ScratchFolder()
  let clock = TestClock()

  private func path(_ number: Int) -> SyncPath { .of("a\(number).org") }

  /// Simulates this many days on which the program is used.
  private func live(_ days: Int, _ archive: SQLiteArchive, history: Int = 90) async throws {
    for _ in 0..<days {
      clock.day += 1
      try await archive.prune(Retention(age: .seconds(history * 86_400)), needsBase: { _, _ in true })
    }
  }

  /// Replaces the versions `v1`, `v2` … of one path, one a day.
  private func displace(_ count: Int, _ archive: SQLiteArchive) async throws -> [Digest] {
    var digests: [Digest] = []
    for number in 1...count {
      digests.append(try await archive.take("v\(number)"))
      try await archive.keep([Version(remote: "home", path: path(1), digest: digests.last!, side: .local)])
      clock.day += 1
      try await archive.beginRun()
    }
    return digests
  }

  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var history: Int
    /// The number of days after five versions were replaced, one a day.
    var days: Int
    /// The number of remaining versions.
    var left: Int
  }

  @Test(arguments: [
    Case(testDescription: "all within the retention", history: 90, days: 80, left: 5),
    Case(testDescription: "the last three after it", history: 90, days: 100, left: 3),
    Case(testDescription: "no history at all: still a week", history: 0, days: 3, left: 5),
    Case(testDescription: "no history at all: after it three", history: 0, days: 12, left: 3),
    Case(testDescription: "one day of history: after the week three", history: 1, days: 12, left: 3),
    Case(testDescription: "ten days of history", history: 10, days: 4, left: 5),
  ])
  func versionsOlderThanTheLimitAreRemoved(_ rule: Case) async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let digests = try await displace(5, archive)
    try await live(rule.days, archive, history: rule.history)
    #expect(
      try await archive.history.versions(of: path(1)).map(\.digest) == Array(digests.suffix(rule.left).reversed()))
    #expect(try await archive.held(Set(digests)) == Set(digests.suffix(rule.left)))
  }

  @Test func retentionCountsFromTheLastReplacement() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let digests = try await displace(5, archive)
    try await live(80, archive)
    try await archive.beginRun()
    try await archive.keep([Version(remote: "home", path: path(1), digest: digests[0], side: .local)])
    try await live(40, archive)
    #expect(try await archive.held(Set(digests)) == [digests[0], digests[3], digests[4]])
  }

  @Test(arguments: [36_500.0, -36_500.0]) func aWrongClockDoesNotAgeTheHistory(days: Double) async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let digests = try await displace(5, archive)
    clock.day += days
    try await live(1, archive, history: 0)
    clock.day -= days
    try await live(1, archive, history: 0)
    #expect(try await archive.held(Set(digests)).count == 5)
  }

  @Test func referencedContentsAreKept() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let names = ["base", "conflict", "journal", "hexadecimal", "nothing"]
    let digests = try await names.asyncMap { try await archive.take($0) }
    try await archive.agree(.on("b.org", "base"))
    var record = Record(remote: "home")
    record.opened = [OpenConflict(path: .of("c.org"), remote: digests[1])]
    try await archive.record(record)
    try await archive.journal(of: "home").write([
      "x": [1, 2, 3] + digests[2].bytes + [9], "y": Array("{\"sent\":\"\(digests[3])\"}".utf8),
    ])
    try await live(200, archive)
    #expect(try await archive.held(Set(digests)) == Set(digests.dropLast()))
  }

  @Test func aBaseThatNoMergeNeedsIsRemoved() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let digest = try await archive.take("picture")
    try await archive.agree(.on("b.png", "picture"))
    clock.day += 1
    for _ in 0..<10 {
      clock.day += 1
      try await archive.prune(Retention(age: .zero), needsBase: { path, size in path != .of("b.png") && size == 7 })
    }
    #expect(try await archive.held([digest]).isEmpty)
    #expect(try await archive.memory(of: "home").base.count == 1)
  }

  @Test func pruningRunsOnceADay() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    try await archive.agree(.on("b.org", "base"))
    try await live(1, archive)
    let before = folder.durableFiles
    clock.day += 0.5
    try await archive.prune(Retention(age: .zero), needsBase: { _, _ in true })
    #expect(folder.durableFiles == before)
  }

  @Test func largeContentsLoseTheirFiles() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let bytes = Array(repeating: UInt8(1), count: 1_500_000)
    let digest = try await archive.intake(keepingAtMost: .max).receive(bytes)
    try await archive.flush()
    #expect(folder.files.keys.contains { $0.hasPrefix("contents/") && $0.count > 60 })
    try await live(12, archive)
    #expect(try await archive.content(digest) == nil)
    #expect(!folder.files.keys.contains { $0.hasPrefix("contents/") && $0.count > 60 })
    #expect(try await archive.intake(keepingAtMost: .max).receive(bytes) == digest)
    #expect(try await archive.content(digest)?.bytes() == bytes)
  }

  @Test func leftoversOfACrashAreAdoptedOrRemoved() async throws {
    let bytes = Array(repeating: UInt8(1), count: 1_500_000)
    let digest = try await SQLiteArchive.opened(in: folder, clock).intake(keepingAtMost: .max).receive(bytes)
    let temporary = folder.path + "/contents/abc.tmp"
    try Data([1]).write(to: URL(filePath: temporary))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: temporary)
    let archive = try SQLiteArchive.opened(in: folder, clock)
    #expect(try await archive.content(digest) == nil)
    try await live(1, archive)
    #expect(try await archive.content(digest)?.bytes() == bytes)
    #expect(!FileManager.default.fileExists(atPath: temporary))
    try await live(12, archive)
    #expect(try await archive.content(digest) == nil)
  }

  @Test func theLastHundredPassesAreKept() async throws {
    let archive = try SQLiteArchive.opened(in: folder, clock)
    for number in 1...130 {
      try await archive.agree(.on("a.org", "\(number)"), actions: [.done("a.org", .copy)])
      try await archive.beginRun()
    }
    try await live(30, archive, history: 1)
    #expect(try await archive.history.passes().map(\.number) == (31...130).reversed())
    #expect(try await archive.history.state(of: .of("a.org"), afterPass: 30) == .content(Digest(of: "30".utf8)))
    #expect(try await archive.passNumber() == 131)
  }
}
