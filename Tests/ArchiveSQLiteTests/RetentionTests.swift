import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import ArchiveSQLite

@Suite("Retention of previous versions") struct RetentionTests {
  private static let day = 86_400_000_000_000

  /// Versions with different contents that were replaced these many days ago, newest first; each in a pass of its own.
  private func versions(_ days: [Double]) -> [RetainedVersion] {
    days.enumerated().map { index, days in
      RetainedVersion(
        digest: Digest(of: "\(index)".utf8), pass: 1_000 - index, age: 1_000 * Self.day - Int(days * Double(Self.day)))
    }
  }

  /// The days of the versions that stay.
  private func kept(_ days: [Double], _ retention: Retention) -> [Double] {
    let decisions = retention.decide(versions(days), at: 1_000 * Self.day, lastPass: 1_000)
    return zip(days, decisions).filter { $0.1 != .expired }.map(\.0)
  }

  private func age(_ days: Int) -> Duration { .seconds(days * 86_400) }

  @Test("versions above the maximum number are removed, but none of the last week")
  func number() {
    let retention = Retention(age: age(90), versions: 4)
    #expect(kept([10, 20, 30, 40, 50, 60], retention) == [10, 20, 30, 40])
    #expect(kept([1, 2, 3, 4, 5, 6, 20], retention) == [1, 2, 3, 4, 5, 6])
  }

  @Test("staggered: all of a week, then one a day, then one a week, up to the age")
  func staggered() {
    let retention = Retention(age: age(90), isStaggered: true)
    let hourly = (0..<(24 * 100)).map { Double($0) / 24 }
    let left = kept(hourly, retention)
    #expect(left.filter { $0 < 8 }.count == 24 * 8)
    #expect((20...23).contains(left.filter { $0 > 8 && $0 < 30 }.count))
    #expect((8...10).contains(left.filter { $0 > 30 }.count) && left.allSatisfy { $0 < 90 })
    #expect(kept([100, 110, 120, 130], retention) == [100, 110, 120])
  }

  @Test("staggered: a version that stayed stays until its interval grows")
  func stable() {
    let retention = Retention(age: age(3_650), isStaggered: true)
    var days = (0..<240).map { Double($0) / 12 }
    var counts: [Int] = []
    for _ in 0..<60 {
      days = kept(days, retention).map { $0 + 1 }
      counts.append(days.count)
    }
    #expect(counts == counts.sorted(by: >) && (5...8).contains(counts[59]), "\(counts)")
  }

  @Test("the last three versions are protected from every limit, however old their passes are")
  func newest() {
    var versions = versions([400, 500, 600, 700, 800])
    for index in versions.indices { versions[index].pass = 10 - index }
    // The file changed back and forth: equal contents count once.
    versions[1].digest = versions[0].digest
    let decisions = Retention(age: age(90), versions: 1).decide(versions, at: 1_000 * Self.day, lastPass: 1_000)
    #expect(decisions == [.protected, .protected, .protected, .protected, .expired])
  }

  @Test("a version that the last three passes replaced is protected from every limit")
  func undo() {
    var versions = versions([100, 101, 102, 103, 104])
    for index in versions.indices { versions[index].pass = 999 }
    let decisions = Retention(age: .zero, versions: 3).decide(versions, at: 1_000 * Self.day, lastPass: 1_000)
    #expect(decisions == Array(repeating: .protected, count: 5))
  }

  @Test("the size limit removes the oldest versions first, and none that is protected")
  func size() async throws {
    let folder = ScratchFolder()
    let clock = TestClock()
    let archive = try SQLiteArchive.opened(in: folder, clock)
    var digests: [Digest] = []
    for number in 1...9 {
      digests.append(try await archive.take(String(repeating: "\(number)", count: 1_000)))
      try await archive.keep([Version(remote: "home", path: .of("a.org"), digest: digests.last!, side: .local)])
      clock.day += 1
      try await archive.beginRun()
    }
    for _ in 0..<20 {
      clock.day += 1
      try await archive.prune(Retention(age: .seconds(90 * 86_400)), needsBase: { _, _ in true })
    }
    let retention = Retention(age: .seconds(90 * 86_400), bytes: 5_500)
    let plan = try await archive.history.prunable(retention, needsBase: { _, _ in true })
    #expect(plan.versions == 4 && plan.contents == 4 && plan.bytes == 4_000)
    #expect(try await archive.held(Set(digests)).count == 9)
    #expect(try await archive.prune(retention, isForced: true, needsBase: { _, _ in true }) == plan)
    #expect(try await archive.held(Set(digests)) == Set(digests.suffix(5)))
    try await archive.prune(Retention(age: .zero, bytes: 0), isForced: true, needsBase: { _, _ in true })
    #expect(try await archive.held(Set(digests)) == Set(digests.suffix(3)))
    #expect(try await archive.verify() == [])
  }

  @Test("the content of a held deletion and of an interrupted pass stays")
  func needs() async throws {
    let folder = ScratchFolder()
    let clock = TestClock()
    let archive = try SQLiteArchive.opened(in: folder, clock)
    let digests = [
      try await archive.take("held"), try await archive.take("intended"), try await archive.take("nothing"),
    ]
    var record = Record(remote: "home")
    record.hold = Hold(reason: "many", items: [HeldItem(path: .of("a"), digest: digests[0], side: .local)])
    try await archive.record(record)
    try await archive.prepare(
      IntendedBatch(
        remote: "home", number: 1, displaced: [],
        changes: [IntendedChange(path: .of("b.org"), target: digests[1], ancestor: nil, local: nil, remote: nil)]))
    for _ in 0..<20 {
      clock.day += 1
      try await archive.prune(Retention(age: .zero), needsBase: { _, _ in true })
    }
    #expect(try await archive.held(Set(digests)) == Set(digests.prefix(2)))
  }
}
