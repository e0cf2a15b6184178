import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import ArchiveSQLite

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

  private static let third = ArchiveFormat(steps: Array(ArchiveFormat.current.steps.prefix(3)))

  private func text(_ number: Int) -> String { (0..<50).map { "* Entry \($0) of note \(number)\n" }.joined() }

  private func version(_ number: Int) -> String { text(1) + "* Edit \(number)\n" }

  /// Writes an archive of format 3, whose contents are rows, with notes, versions of one of them, and a large content.
  private func fillThird(in folder: String) async throws {
    let old = try SQLiteArchive.open(ArchiveFolder(path: folder), as: Self.third, now: Runtime.real.now).get()
    let large = Array(repeating: UInt8(7), count: 300_000)
    try FileManager.default.createDirectory(
      atPath: old.folder.files.plainPath(of: Digest(of: large)).split(separator: "/").dropLast()
        .reduce("") { $0 + "/" + $1 }, withIntermediateDirectories: true)
    try Data(large).write(to: URL(filePath: old.folder.files.plainPath(of: Digest(of: large))))
    let texts = (0..<300).map(text) + (0..<20).map(version)
    try await old.database.writeUrgently(between: .recordWriting, and: .recordWritten) { db in
      for text in texts {
        try db.run(
          "INSERT INTO contents VALUES (?, ?, 5, ?)", .digest(Digest(of: text.utf8)), .integer(text.utf8.count),
          .bytes(Array(text.utf8)))
      }
      try db.run("INSERT INTO contents VALUES (?, 300000, 5, NULL)", .digest(Digest(of: large)))
    }
    for number in 0..<20 {
      try await old.agree(.on("a.org", version(number)), actions: [.done("a.org", .copy)])
      try await old.beginRun()
    }
    try await old.close()
  }

  private func expectEverything(in archive: SQLiteArchive) async throws {
    for number in 0..<300 { #expect(try await archive.text(Digest(of: text(number).utf8)) == text(number)) }
    for number in 0..<20 { #expect(try await archive.text(Digest(of: version(number).utf8)) == version(number)) }
    let large = Array(repeating: UInt8(7), count: 300_000)
    #expect(try await archive.content(Digest(of: large))?.bytes() == large)
    #expect(try await archive.memory(of: "home").base.all == [.on("a.org", version(19))])
    #expect(try await archive.verify().isEmpty)
  }

  @Test("the contents of format 3 are moved into packs, former versions as differences")
  func thirdFormat() async throws {
    try await fillThird(in: folder.path)
    let before = try #require(folder.files["archive.sqlite"])
    let archive = try SQLiteArchive.opened(in: folder)
    try await expectEverything(in: archive)
    let differences = try await archive.database.read { db in
      try db.first("SELECT count(*) FROM blocks WHERE former IS NOT NULL") { $0.integer(0) } ?? 0
    }
    #expect(differences >= 18)
    try await archive.close()
    #expect(try Judgement(of: folder).wrong.isEmpty)
    #expect(folder.files["archive.sqlite.format-3"] == before, "the older database is kept")
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/archive.sqlite")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let small = try #require(folder.files["archive.sqlite"])
    #expect(small.count < before.count * 2 / 3)
    // The older program refuses the new format and changes nothing.
    let files = folder.files
    guard
      case .newer(let error) = try SQLiteArchive.open(
        ArchiveFolder(path: folder.path), as: Self.third, now: Runtime.real.now)
    else {
      Issue.record("the older program opened the new format")
      return
    }
    #expect(error.message.contains("newer syncd") && folder.files == files)
  }

  @Test("after a downgrade to the kept database the next upgrade has every content again")
  func downgraded() async throws {
    try await fillThird(in: folder.path)
    try await SQLiteArchive.opened(in: folder).close()
    try FileManager.default.removeItem(atPath: folder.path + "/archive.sqlite")
    try FileManager.default.moveItem(
      atPath: folder.path + "/archive.sqlite.format-3", toPath: folder.path + "/archive.sqlite")
    let archive = try SQLiteArchive.opened(in: folder)
    try await expectEverything(in: archive)
    try await archive.prune(Retention(age: .seconds(90 * 86_400)), isForced: true) { _, _ in true }
    try await expectEverything(in: archive)
    #expect(folder.files.keys.filter { $0.hasSuffix(".pack") }.count == 1, "the packs of the first upgrade are removed")
  }

  @Test("a damaged content of format 3 stays damaged, and the others are moved")
  func damagedContent() async throws {
    try await fillThird(in: folder.path)
    let path = folder.path + "/archive.sqlite"
    var bytes = try Data(contentsOf: URL(filePath: path))
    let range = try #require(bytes.range(of: Data("* Entry 7 of note 12\n".utf8)))
    bytes[range.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: path))
    let archive = try SQLiteArchive.opened(in: folder)
    #expect(try await archive.text(Digest(of: text(13).utf8)) == text(13))
    let error = await #expect(throws: SyncError.self) { try await archive.text(Digest(of: text(12).utf8)) }
    #expect(error?.code == .damagedState)
    #expect(try await archive.verify().count == 1)
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
