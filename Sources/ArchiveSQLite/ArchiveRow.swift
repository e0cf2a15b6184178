internal import GRDB
import SyncKit

/// An archive's own state: the only row of its first table.
struct ArchiveRow {
  /// Incremented with every change of any base.
  var generation = 0
  var clock = ArchiveClock()
  /// The time of the last search for unused contents.
  var pruned = Timestamp(nanoseconds: 0)

  static func read(_ db: Database) throws -> ArchiveRow {
    let row = try db.first("SELECT generation, age, seen, pruned, checksum FROM archive") { columns in
      try columns.verify(first: 4)
      return ArchiveRow(
        generation: columns.integer(0), clock: ArchiveClock(age: columns.integer(1), seen: columns.time(2)),
        pruned: columns.time(3))
    }
    guard let row else { throw SyncError.damaged("it has no generation number") }
    return row
  }

  func write(_ db: Database) throws {
    try db.run(
      "INSERT OR REPLACE INTO archive (generation, age, seen, pruned, checksum, one) VALUES (?, ?, ?, ?, ?, 1)",
      sealing: .integer(generation), .integer(clock.age), .time(clock.seen), .time(pruned))
  }

  /// Returns the archive's age at the time `now`. A read soon after another one is not written.
  static func age(at now: Timestamp, _ db: Database) throws -> Int {
    var row = try read(db)
    let wasSeen = row.clock.seen
    row.clock.look(at: now)
    if wasSeen.seconds / 3600 != now.seconds / 3600 { try row.write(db) }
    return row.clock.age
  }
}

extension Timestamp {
  /// The time 24 hours earlier.
  var dayBefore: Timestamp {
    Timestamp(nanoseconds: max(nanoseconds, .min + Int64(ArchiveClock.day)) - Int64(ArchiveClock.day))
  }
}

/// The clock by which an archive's history ages, in nanoseconds.
///
/// It follows the system clock, but never backwards and by at most a day from one read to the next: a clock that is wrong for a
/// moment ages the history by at most a day, and days without use do not count.
struct ArchiveClock: Equatable {
  var age = 0
  var seen = Timestamp(nanoseconds: 0)

  static let day = 86_400_000_000_000

  mutating func look(at now: Timestamp) {
    let (step, overflow) = now.nanoseconds.subtractingReportingOverflow(seen.nanoseconds)
    if !overflow, step > 0 { age += min(Int(step), Self.day) }
    seen = now
  }
}
