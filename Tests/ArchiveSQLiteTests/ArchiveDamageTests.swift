import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import ArchiveSQLite

struct ArchiveDamageTests {
  let folder = ScratchFolder()

  private var database: String { folder.path + "/archive.sqlite" }

  private func opening() throws -> ArchiveOpening { try SQLiteArchive.open(in: folder.path) }

  /// A closed archive with records of every kind.
  private func filled() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    for number in 0..<40 { try await archive.take(String(repeating: "content \(number) ", count: 200)) }
    var record = Record(remote: "home")
    record.agreements = (0..<300).map { .on("folder/note \($0).org", "text \($0)") }
    record.roots = (RootIdentity(address: "/home", id: "store"), RootIdentity(address: "/away", id: "remote"))
    record.hold = Hold(reason: "many", items: [HeldItem(path: .of("h"), digest: .empty, side: .local)])
    record.opened = [OpenConflict(path: .of("c.org"), base: .empty)]
    record.actions = [.done("folder/note 1.org", .copy)]
    record.deletions = 2
    try await archive.record(record)
    try await archive.journal(of: "home").write(["intent": Array(repeating: 5, count: 300)])
    try await archive.close()
  }

  /// All data that decisions depend on, as far as the archive returns it.
  private struct Said: Equatable {
    var base: [Agreement]
    var hold: Hold?
    var allowed: Set<HeldItem>
    var journal: [String: [UInt8]]
    var contents: [[UInt8]]
  }

  private func said(by archive: SQLiteArchive) async throws -> Said {
    let memory = try await archive.memory(of: "home")
    let contents = try await (0..<40).asyncMap { number in
      try await archive.content(Digest(of: String(repeating: "content \(number) ", count: 200).utf8))?.bytes() ?? []
    }
    return Said(
      base: memory.base.all, hold: memory.hold, allowed: memory.allowed,
      journal: try await archive.journal(of: "home").records(), contents: contents)
  }

  /// Damage that hides a record other than an agreement can only make the program ask a user again, or make a content missing,
  /// which nothing relies on without checking.
  private func isHarmless(_ said: Said, truth: Said) -> Bool {
    said.base == truth.base && (said.hold == truth.hold || said.hold == nil) && said.allowed == truth.allowed
      && said.journal.allSatisfy { truth.journal[$0.key] == $0.value }
      && zip(said.contents, truth.contents).allSatisfy { $0 == $1 || $0.isEmpty }
  }

  @Test func flippedBytesAreDetectedOrHarmless() async throws {
    try await filled()
    let whole = try Data(contentsOf: URL(filePath: database))
    let truth = try await said(by: try opening().get())
    #expect(truth.base.count == 300 && truth.contents.allSatisfy { !$0.isEmpty })
    var generator = SplitMix64(state: 2026)
    var noticed = 0
    for round in 0..<(ArchiveCostTests.isMeasuring ? 5000 : 250) {
      let other = ScratchFolder()
      var bytes = whole
      let first = Int.random(in: 0..<bytes.count, using: &generator)
      for offset in first..<min(bytes.count, first + [1, 1, 4, 600][round % 4]) {
        bytes[offset] ^= UInt8.random(in: 1...255, using: &generator)
      }
      try bytes.write(to: URL(filePath: other.path + "/archive.sqlite"))
      try FileManager.default.copyItem(atPath: folder.path + "/contents", toPath: other.path + "/contents")
      do {
        let archive = try SQLiteArchive.open(in: other.path).get()
        let said = try await said(by: archive)
        #expect(isHarmless(said, truth: truth), "round \(round), offset \(first)")
        _ = try await archive.verify()
        try await archive.agree(.on("folder/note 7.org", "changed"))
        try await archive.close()
      } catch let error as SyncError {
        #expect(error.code == .damagedState, "round \(round), offset \(first): \(error.message) \(error.cause ?? "")")
        noticed += 1
      }
    }
    #expect(noticed > 20)
  }

  @Test(arguments: [0, 1, 99, 100, 5000, 8192, 20000]) func aTruncatedDatabaseIsDetected(length: Int) async throws {
    try await filled()
    let handle = try #require(FileHandle(forUpdatingAtPath: database))
    try handle.truncate(atOffset: UInt64(length))
    do {
      switch try opening() {
      case .opened(let archive): _ = try await said(by: archive)
      case .rolledBack(let archive):
        #expect(length == 0)
        #expect(try await archive.memory(of: "home").isFirstPass)
        return
      case .newer: Issue.record("a truncated database was reported as a newer one")
      case .damaged: return
      }
      Issue.record("the truncated database was opened without an error")
    } catch let error as SyncError {
      #expect(error.code == .damagedState)
    }
  }

  @Test func anotherProgramsFileIsLeftUnchanged() throws {
    try Data("Dear diary, ".utf8).write(to: URL(filePath: database))
    let before = folder.files
    guard case .damaged = try opening() else {
      Issue.record("the foreign file was opened as an archive")
      return
    }
    #expect(folder.files == before)
  }

  @Test func aNewerFormatIsRefusedUnchanged() async throws {
    try await filled()
    let handle = try #require(FileHandle(forUpdatingAtPath: database))
    try handle.seek(toOffset: 60)
    handle.write(Data([0, 0, 0, 99]))
    let before = folder.files
    guard case .newer(let error) = try opening() else {
      Issue.record("it was opened")
      return
    }
    #expect(error.code == .otherVersion && error.message.contains("newer"))
    #expect(throws: SyncError.self) { try ReadOnlyArchive(in: folder.path) }
    #expect(folder.files == before)
  }

  @Test func settingAsideKeepsTheDamagedFileAndCreatesANewArchive() async throws {
    try await filled()
    try Data("not a database any more".utf8).write(to: URL(filePath: database))
    let moved = try SQLiteArchive.setAside(in: folder.path, now: Timestamp(seconds: 1_792_000_000))
    #expect(moved.hasSuffix("archive.sqlite.damaged-20261014T174640Z"))
    #expect(try Data(contentsOf: URL(filePath: moved)) == Data("not a database any more".utf8))
    let archive = try opening().get()
    #expect(try await archive.memory(of: "home").isFirstPass)
  }

  @Test func anArchiveRestoredFromABackupForgetsItsBases() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.take("one")
    try await archive.agree(.on("a.org", "one"), actions: [.done("a.org", .copy)])
    try await archive.close()
    let old = try Data(contentsOf: URL(filePath: database))
    let later = try SQLiteArchive.opened(in: folder)
    try await later.agree(.on("a.org", "two"))
    try await later.close()
    try old.write(to: URL(filePath: database))

    #expect(try await ReadOnlyArchive(in: folder.path).memory(of: "home").base.isEmpty)
    guard case .rolledBack(let restored) = try opening() else {
      Issue.record("the older archive was not detected")
      return
    }
    let memory = try await restored.memory(of: "home")
    #expect(memory.base.isEmpty && memory.isFirstPass)
    #expect(try await restored.text(Digest(of: "one".utf8)) == "one")
    #expect(try await restored.history.passes().count == 1)
    try await restored.close()
    guard case .opened = try opening() else {
      Issue.record("the older archive was detected twice")
      return
    }
  }

  @Test func anUnreadableGenerationFileIsIgnored() async throws {
    try await filled()
    for text in ["", "x", "99999999999999999999", "999"] {
      try Data(text.utf8).write(to: URL(filePath: folder.path + "/generation"))
      guard case .opened(let archive) = try opening() else {
        Issue.record("the generation \(text) was accepted")
        return
      }
      #expect(try await archive.memory(of: "home").base.count == 300)
    }
  }

  @Test func verifyingFindsDamagedContents() async throws {
    try await filled()
    #expect(try await opening().get().verify().isEmpty)
    // A compressed byte that many contents depend on would damage all of them, so the row of one is changed.
    let wrong = Digest(of: String(repeating: "content 7 ", count: 200).utf8)
    let archive = try opening().get()
    try await archive.database.writeUrgently(between: .recordWriting, and: .recordWritten) { db in
      try db.run("UPDATE contents SET start = start - 1 WHERE digest = ?", .digest(wrong))
    }
    try await archive.close()
    let findings = try await opening().get().verify()
    let digest = Digest(of: String(repeating: "content 7 ", count: 200).utf8)
    #expect(findings.count == 1 && findings[0].contains(digest.description))
  }
}
