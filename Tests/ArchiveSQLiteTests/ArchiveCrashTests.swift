import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveCrashTests {
  let folder = ScratchFolder()

  @Test func recordedDataSurvivesAnArchiveThatWasNotClosed() async throws {
    do {
      let archive = try SQLiteArchive.opened(in: folder)
      try await archive.agree(.on("a.org", "one"))
      try await archive.journal(of: "home").write(["x": [1]])
    }
    let archive = try SQLiteArchive.opened(in: folder)
    #expect(try await archive.memory(of: "home").base.count == 1)
    #expect(try await archive.journal(of: "home").records() == ["x": [1]])
  }

  /// Copies the folder of an archive in use, as a crash would leave it: it must have every finished transaction, and no partial
  /// one.
  @Test func aCopyMadeAtAnyMomentIsConsistent() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    for number in 1...60 {
      let digest = try await archive.take("content \(number)")
      try await archive.keep([Version(remote: "home", path: .of("a.org"), digest: digest, side: .local)])
      var record = Record(remote: "home")
      record.agreements = (0..<number).map { .on("note \($0).org", "\(number)") }
      try await archive.record(record)
      if number % 10 == 0 { try await expectWhole(copy(), upTo: number) }
    }
  }

  @Test func aTruncatedLogIsConsistent() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    for number in 1...20 {
      var record = Record(remote: "home")
      record.agreements = (0..<number).map { .on("note \($0).org", "\(number)") }
      try await archive.record(record)
    }
    let log = folder.files["archive.sqlite-wal"]?.count ?? 0
    #expect(log > 0)
    var generator = SplitMix64(state: 7)
    for _ in 0..<60 {
      let copy = try copy()
      let length = Int.random(in: 0...log, using: &generator)
      let handle = try #require(FileHandle(forUpdatingAtPath: copy.path + "/archive.sqlite-wal"))
      try handle.truncate(atOffset: UInt64(length))
      if Bool.random(using: &generator) {
        try? FileManager.default.removeItem(atPath: copy.path + "/archive.sqlite-shm")
      }
      try FileManager.default.removeItem(atPath: copy.path + "/generation")
      let base = try await SQLiteArchive.opened(in: copy).memory(of: "home").base.all
      #expect(Set(base) == Set((0..<base.count).map { .on("note \($0).org", "\(base.count)") }))
    }
  }

  @Test func aReaderSeesWholeTransactionsDuringWrites() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.agree(.on("note 0.org", "1"))
    async let writing: Void = {
      for number in 2...80 {
        var record = Record(remote: "home")
        record.agreements = (0..<number).map { .on("note \($0).org", "\(number)") }
        try await archive.record(record)
      }
    }()
    for _ in 0..<40 {
      let base = try await ReadOnlyArchive(in: folder.path).memory(of: "home").base.all
      #expect(Set(base) == Set((0..<base.count).map { .on("note \($0).org", "\(base.count)") }))
    }
    try await writing
    #expect(try await ReadOnlyArchive(in: folder.path).memory(of: "home").base.count == 80)
  }

  private func copy() throws -> ScratchFolder {
    let copy = ScratchFolder()
    for (name, bytes) in folder.files {
      let file = URL(filePath: copy.path + "/" + name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    return copy
  }

  private func expectWhole(_ copy: ScratchFolder, upTo number: Int) async throws {
    let archive = try SQLiteArchive.opened(in: copy)
    let memory = try await archive.memory(of: "home")
    #expect(memory.base.count == number && memory.generation == number)
    #expect(try await archive.history.versions(of: .of("a.org")).count == number)
    #expect(try await archive.text(Digest(of: "content \(number)".utf8)) == "content \(number)")
    #expect(try await archive.verify().isEmpty)
  }
}
