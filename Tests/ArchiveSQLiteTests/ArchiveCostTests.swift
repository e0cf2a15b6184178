import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

/// A large archive. `SYNCD_MEASURE=1` prints the costs, and runs the large case too.
@Suite(.serialized)
struct ArchiveCostTests {
  static let isMeasuring = ProcessInfo.processInfo.environment["SYNCD_MEASURE"] != nil

  let folder = ScratchFolder()

  private func measure(_ what: String, _ work: () async throws -> Void) async throws {
    let before = clock()
    let time = try await ContinuousClock().measure { try await work() }
    if Self.isMeasuring { print("measured:", what, time, "of which processor", Double(clock() - before) / 1e6) }
  }

  private func record(_ count: Int, revision: String = "1") -> Record {
    var record = Record(remote: "home")
    record.agreements = (0..<count).map {
      Agreement(
        path: .of("folder-\($0 / 100)/notes of the year \($0).org"), digest: Digest(of: "\($0)".utf8),
        local: Revision("8:1234567:1700000000123456789:1700000000123456789:\($0)" + revision),
        remote: Revision("\"5f3c2a1b-\($0)-63a1b2c3d4e5f" + revision))
    }
    return record
  }

  @Test func anArchiveReopensRepeatedly() async throws {
    try await measure("create") { try await SQLiteArchive.opened(in: folder).close() }
    let archive = try SQLiteArchive.opened(in: folder)
    try await archive.record(record(10))
    try await archive.close()
    for _ in 0..<5 {
      var archive: SQLiteArchive?
      try await measure("open") { archive = try SQLiteArchive.opened(in: folder) }
      try await measure("memory of ten") {
        let memory = try await archive?.memory(of: "home")
        #expect(memory?.base.count == 10)
      }
      try await measure("close") { try await archive?.close() }
    }
  }

  @Test func manySmallContentsAreStored() async throws {
    let contents = (0..<10_000).map { Array("\($0)".utf8) + Array(repeating: 7, count: 6000) }
    let archive = try SQLiteArchive.opened(in: folder)
    try await measure("10,000 contents of 6 KB") {
      let sink = archive.intake(keepingAtMost: 1 << 20)
      for content in contents { _ = try await sink.receive(content) }
      try await archive.flush()
    }
    try await measure("the same again") {
      let sink = archive.intake(keepingAtMost: 1 << 20)
      for content in contents { _ = try await sink.receive(content) }
      try await archive.flush()
    }
    try await measure("held, of 10,000") {
      let held = try await archive.held(Set(contents.map { Digest(of: $0) }))
      #expect(held.count == contents.count)
    }
    try await measure("open after an interruption") {
      _ = try SQLiteArchive.open(in: folder.path).get()
    }
    try await measure("prune") { try await archive.prune(Retention(age: .zero)) { _, _ in true } }
    try await measure("close") { try await archive.close() }
    if Self.isMeasuring { print("measured: bytes", folder.files.mapValues(\.count)) }
  }

  @Test func largeBasesAreWrittenAndRead() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    let (all, thousand) = (record(10_000), record(1000, revision: "2"))
    try await measure("record of 10,000") { try await archive.record(all) }
    try await measure("record of 1,000 changed") { try await archive.record(thousand) }
    for load in ["load of 10,000", "load of 10,000 again"] {
      try await measure(load) {
        let memory = try await archive.memory(of: "home")
        #expect(memory.base.count == 10_000)
      }
    }
    try await archive.close()
  }

  @Test(.enabled(if: isMeasuring, "set SYNCD_MEASURE=1 to measure a million agreements"))
  func aMillionAgreementsNeedLittleMemory() async throws {
    let archive = try SQLiteArchive.opened(in: folder)
    try await measure("record of 1,000,000") { try await archive.record(record(1_000_000)) }
    try await archive.close()
    let reopened = try SQLiteArchive.opened(in: folder)
    let before = Self.resident
    var memory: RemoteMemory?
    try await measure("load of 1,000,000") { memory = try await reopened.memory(of: "home") }
    print("measured: resident MiB before and after", before, Self.resident, "peak", Self.peak)
    #expect(memory?.base.count == 1_000_000)
  }

  private static var resident: Int { status("VmRSS:") }
  private static var peak: Int { status("VmHWM:") }

  private static func status(_ key: String) -> Int {
    let lines = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix(key) }
    return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) / 1024
  }
}
