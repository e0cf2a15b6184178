import ArchiveSQLite
import ProgramTesting
import SyncKit
import Testing

struct ArchiveIntendedChangeTests {
  let folder = ScratchFolder()

  private static let changes = [
    IntendedChange(path: .of("a.org"), target: Digest(of: [1]), ancestor: nil, local: nil, remote: .absent),
    renamed,
    IntendedChange(
      path: .of("c.org"), target: Digest(of: [4]), ancestor: Digest(of: [5]), local: .content(Digest(of: [6])),
      remote: .content(Digest(of: [7])),
      conflict: OpenConflict(
        path: .of("c.org"), base: Digest(of: [5]), local: Digest(of: [6]), copy: .of("c.conflict.org"),
        marked: Digest(of: [4]))),
  ]

  private static var renamed: IntendedChange {
    var change = IntendedChange(
      path: .of("b/ü.org"), target: nil, ancestor: Digest(of: [2]), local: .content(Digest(of: [3])), remote: nil)
    change.newPath = .of("b/new ü.org")
    return change
  }

  private func prepared() async throws -> SQLiteArchive {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.prepare(
      IntendedBatch(remote: "home", number: 1, displaced: [], changes: Array(Self.changes.prefix(2))))
    try await archive.prepare(IntendedBatch(remote: "home", number: 2, displaced: [], changes: [Self.changes[2]]))
    return archive
  }

  @Test func intendedChangesSurviveReopening() async throws {
    try await prepared().close()
    let archive = try SQLiteArchive.opened(in: folder)
    let memory = try await archive.memory(of: "home")
    #expect(memory.intended == Self.changes && memory.lastBatch == 2)
    #expect(try await archive.memory(of: "away").intended.isEmpty)
    try await archive.close()
  }

  @Test func batchesEndOneByOne() async throws {
    let archive = try await prepared()
    var record = Record(remote: "home")
    record.ended = EndedBatches(last: 1, open: [Self.changes[0]])
    try await archive.record(record)
    #expect(try await archive.memory(of: "home").intended == [Self.changes[0], Self.changes[2]])
    record.ended = EndedBatches(last: 2, open: [])
    try await archive.record(record)
    #expect(try await archive.memory(of: "home").intended.isEmpty)
    try await archive.close()
  }

  private func sidesRecords(_ archive: SQLiteArchive) async throws -> [String: [UInt8]] {
    try await archive.journal(of: "home").records().filter { $0.key.hasPrefix("engine.sides.") }
  }

  @Test func theSidesThatABatchHasReachedSurviveReopening() async throws {
    let first = try await prepared()
    var changes = Array(Self.changes.prefix(2))
    (changes[0].begun, changes[1].written) = ([], [.local])
    try await first.update(IntendedBatch(remote: "home", number: 1, displaced: [], changes: changes))
    try await first.close()
    let archive = try SQLiteArchive.opened(in: folder)
    #expect(try await archive.memory(of: "home").intended == changes + [Self.changes[2]])
    var record = Record(remote: "home")
    record.ended = EndedBatches(last: 2, open: [changes[1]])
    try await archive.record(record)
    #expect(try await archive.memory(of: "home").intended == [changes[1]])
    #expect(try await sidesRecords(archive).count == 1)
    record.ended = EndedBatches(last: 2, open: [])
    try await archive.record(record)
    #expect(try await sidesRecords(archive).isEmpty)
    try await archive.close()
  }

  @Test func withoutARecordOfThisBatchEachSideMayHaveBegun() async throws {
    let archive = try await prepared()
    var changes = Array(Self.changes.prefix(2))
    for index in changes.indices { changes[index].begun = [] }
    try await archive.update(IntendedBatch(remote: "home", number: 1, displaced: [], changes: changes))
    // An older program writes no such record, and leaves one of a former batch with this number.
    let records = try await sidesRecords(archive)
    let other = try #require(records["engine.sides.2"])
    for record in [nil, other, Array(other.prefix(32)) + [0, 0]] as [[UInt8]?] {
      try await archive.journal(of: "home").write(["engine.sides.1": record])
      #expect(try await archive.memory(of: "home").intended == Self.changes)
    }
    try await archive.close()
  }

  @Test func aRemoteThatStartsAgainForgetsIntendedChanges() async throws {
    let archive = try await prepared()
    var record = Record(remote: "home")
    record.startsAgain = true
    try await archive.record(record)
    #expect(try await archive.memory(of: "home").intended.isEmpty)
    try await archive.close()
  }

  @Test func agreementsWithOtherRemotesAreFound() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.agree(.on("a.org", "one"), .on("b.org", "two"))
    let contents: [SyncPath: Digest] = [
      .of("a.org"): Digest(of: "one".utf8), .of("b.org"): Digest(of: "other".utf8), .of("c.org"): Digest(of: [1]),
    ]
    #expect(try await archive.agreedElsewhere(contents, than: "away") == [.of("a.org")])
    #expect(try await archive.agreedElsewhere(contents, than: "home").isEmpty)
    try await archive.close()
  }
}
