import Foundation
import GRDB
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import StoreSQLite

@Suite("A damaged store in one file")
struct DamageTests {
  let box = StoreBox()

  private static func files(_ count: Int, size: Int = 4_000) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: (0..<count).map {
        ("folder \($0 % 7)/\($0).org", "* Note \($0)\n" + String(repeating: "text \($0) ", count: size / 10))
      })
  }

  @Test("damaged content is neither returned nor listed as another version, and a diagnosis names the file")
  func content() async throws {
    let store = try await box.made(["a.org": "* A\n", "b.org": "* B\n"])
    let entry = try await store.list(since: Known()).entries.first
    try box.execute(
      "UPDATE part SET bytes = CAST('* X' || char(10) AS BLOB) WHERE bytes = CAST('* A' || char(10) AS BLOB)")
    guard case .failed(let error) = try await store.read(file: SyncPath(named: "a.org"), into: DigestSink()) else {
      Issue.record("damaged content was returned")
      return
    }
    #expect(error.code == .suspect && error.message.contains("a.org") && error.found == Digest(of: Array("* X\n".utf8)))
    #expect(try await store.list(since: Known()).entries.first == entry)
    #expect(try await store.text("b.org") == "* B\n")
    let findings = try await store.diagnose()
    #expect(findings.count == 1 && findings[0].level == .problem && findings[0].text.contains("a.org"))
    // A file is replaced under its condition, whatever its content is by now.
    try await store.put("* New\n", "a.org")
    #expect(try await store.text("a.org") == "* New\n")
    #expect(try await store.diagnose().map(\.level) == [.good])
  }

  @Test("a missing part of a large file is damage, not an end")
  func missingPart() async throws {
    let store = try await box.made([:])
    let path = try SyncPath(named: "large")
    _ = try await store.write(Content([UInt8](repeating: 1, count: 3 * PartTable.size)), to: path, if: .absent)
    try box.execute("DELETE FROM part WHERE id & 1048575 = 2")
    guard case .failed(let error) = try await store.read(file: path, into: DigestSink()) else {
      Issue.record("half a file was returned")
      return
    }
    #expect(error.code == .suspect)
  }

  @Test("a damaged row is an error of the listing: without it the file would seem to be deleted")
  func row() async throws {
    let store = try await box.made(["a.org": "* A\n", "b.org": "* B\n"])
    try box.execute("UPDATE file SET size = size + 1 WHERE path = CAST('a.org' AS BLOB)")
    await #expect(throws: SyncError.self) { _ = try await store.list(since: Known()) }
    guard case .unknown = try await store.confirm(file: SyncPath(named: "a.org")) else {
      Issue.record("a damaged row counts as present or absent")
      return
    }
    #expect(try await store.text("b.org") == "* B\n")
  }

  @Test("a damaged structure is refused when the file is opened as another one, on another day and after a start")
  func structure() async throws {
    _ = try await box.made(Self.files(300))
    try await box.open().recover()
    try box.spoil(0.3..<0.6)
    // The check of today is recorded; it is made again for a copy, which is another file.
    try FileManager.default.moveItem(atPath: box.path, toPath: box.path + "-old")
    try FileManager.default.copyItem(atPath: box.path + "-old", toPath: box.path)
    let store = try await box.open()
    do throws(SyncError) {
      try await store.recover()
      Issue.record("a damaged store was opened")
    } catch {
      #expect(error.code == .wrongReplica && error.remedy == .repairStore)
      #expect(error.message.contains(box.path) && error.message.contains("damaged"))
    }
  }

  @Test("the check of the structure is made once a day, and again after the clock was set back")
  func checks() async throws {
    _ = try await box.made(["a.org": "* A\n"])
    func checked() async throws -> String? {
      try await StoreDatabase(at: box.path).turn(.reading) { db in try StoreMeta.value("checked", db) }
    }
    let database = StoreDatabase(at: box.path)
    let day = Timestamp(seconds: 1_700_000_000)
    try await StoreCheck(database, now: day).runIfDue()
    let first = try #require(try await checked())
    try await StoreCheck(database, now: Timestamp(seconds: day.seconds + 86_000)).runIfDue()
    #expect(try await checked() == first)
    for later in [86_500, -10] as [Int64] {
      try await StoreCheck(database, now: Timestamp(seconds: day.seconds + later)).runIfDue()
      #expect(try await checked()?.hasSuffix(" \(day.seconds + later)") == true)
    }
  }

  @Test("a copy is made once the store has changed, and damage never replaces it")
  func copies() async throws {
    let store = try await box.made(["a.org": "* A\n"], copyingEvery: .seconds(1_000))
    try await store.recover()
    let copy = StoreBox.files(at: StoreCopy.path(of: box.path))
    #expect(try await copy() == ["a.org": "* A\n"])
    let first = try Data(contentsOf: URL(filePath: StoreCopy.path(of: box.path)))
    try await store.put("* A\nmore\n", "a.org")
    try await store.recover()
    #expect(try Data(contentsOf: URL(filePath: StoreCopy.path(of: box.path))) == first)
    // An hour later.
    let later = StoreCopy(
      of: StoreDatabase(at: box.path), every: .seconds(1_000),
      now: Timestamp(seconds: Runtime.real.now().seconds + 3_600))
    try await later.makeIfDue()
    #expect(try await copy() == ["a.org": "* A\nmore\n"])
    try await store.put("* B\n", "b.org")
    try box.execute("UPDATE part SET bytes = CAST('bad' AS BLOB)")
    let tomorrow = StoreCopy(
      of: StoreDatabase(at: box.path), every: .seconds(1_000),
      now: Timestamp(seconds: Runtime.real.now().seconds + 100_000))
    try await tomorrow.makeIfDue()
    #expect(try await copy() == ["a.org": "* A\nmore\n"])
  }

  @Test("a repair keeps what is intact, restores the rest from the history and the copy, and names what is missing")
  func repair() async throws {
    let store = try await box.made(
      ["intact.org": "* I\n", "history.org": "* H\n", "copy.org": "* C\n", "older.org": "* O\n", "gone.org": "* G\n"],
      copyingEvery: .seconds(1))
    try await store.recover()
    try await store.put("* Older, edited\n", "older.org")
    try await store.put("* Missing\n", "missing.org")
    guard case .present(let gone) = try await store.confirm(file: SyncPath(named: "gone.org")) else { return }
    _ = try await store.remove(SyncPath(named: "gone.org"), if: .unchanged(gone.revision))
    for text in ["* H\n", "* C\n", "* Older, edited\n", "* Missing\n"] {
      try box.execute("UPDATE part SET bytes = CAST('bad' AS BLOB) WHERE CAST(bytes AS TEXT) = '\(text)'")
    }
    let parts = RemoteParts.inMemory(name: "store")
    let history = Content(Array("* H\n".utf8))
    _ = try await parts.contents.intake(keepingAtMost: .max).receive(Array("* H\n".utf8))
    try await parts.contents.flush()
    try await StoreBox.forget("history.org", in: StoreCopy.path(of: box.path))
    let repair = try #require(
      try await SQLiteStore(path: box.path).repair(parts, agreed: [SyncPath(named: "history.org"): history.digest]))
    #expect(repair.intact == 1 && !repair.mayLackFiles)
    #expect(repair.restored.map(\.description).sorted() == ["copy.org", "history.org"])
    #expect(repair.older.map(\.description) == ["older.org"])
    #expect(repair.missing.map(\.description) == ["missing.org"])
    #expect(FileManager.default.fileExists(atPath: repair.damaged))
    let files = try await StoreBox.files(at: box.path)()
    #expect(files == ["intact.org": "* I\n", "history.org": "* H\n", "copy.org": "* C\n", "older.org": "* O\n"])
  }

  @Test("after damage of any part of the file, a repair returns only contents that were written", arguments: 0..<10)
  func spoilt(part: Int) async throws {
    let files = Self.files(400)
    _ = try await box.made(files)
    try box.spoil(Double(part) / 10..<Double(part) / 10 + 0.02)
    let repair = try #require(try await SQLiteStore(path: box.path).repair(.inMemory(name: "store"), agreed: [:]))
    let found = try await StoreBox.files(at: box.path)()
    #expect(found.count == repair.intact)
    for (name, text) in found { #expect(files[name] == text, "\(name)") }
    let told = Set(repair.missing.map(\.description))
    let lost = files.keys.filter { found[$0] == nil && !told.contains($0) }
    #expect(lost.isEmpty || repair.mayLackFiles, "\(lost.count)")
    // Fifty-two of four hundred files are one page of rows, or a fiftieth of the contents.
    if part > 0 { #expect(found.count > 300, "\(found.count)") }
  }
}

extension StoreBox {
  /// Returns a function that reads all files of a store.
  static func files(at path: String) -> () async throws -> [String: String] {
    {
      let store = try await SQLiteStore(path: path).open(.inMemory(name: "store"))
      var files: [String: String] = [:]
      for name in try await store.names { files[name] = try await store.text(name) }
      return files
    }
  }

  /// Removes a file from a store.
  static func forget(_ name: String, in path: String) async throws {
    let store = try await SQLiteStore(path: path).open(.inMemory(name: "store"))
    guard case .present(let entry) = try await store.confirm(file: SyncPath(named: name)) else { return }
    _ = try await store.remove(entry.path, if: .unchanged(entry.revision))
  }
}
