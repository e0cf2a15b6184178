internal import GRDB
import SyncKit

/// How many deletions went through unasked, and when.
enum DeletionTable {
  /// How many there were within the day before `now`. What seems to lie in the future counts as well: clocks go wrong.
  static func count(of remote: String, at now: Timestamp, _ db: Database) throws -> Int {
    var count = 0
    try db.run("SELECT remote, time, count, checksum FROM deletions WHERE remote = ?", .text(remote)) {
      try $0.verify(first: 3)
      if $0.time(1) > now.dayBefore { count += $0.integer(2) }
    }
    return count
  }

  static func add(_ count: Int, of remote: String, at now: Timestamp, _ db: Database) throws {
    guard count > 0 else { return }
    try db.run("DELETE FROM deletions WHERE remote = ? AND time <= ?", .text(remote), .time(now.dayBefore))
    try db.run("INSERT INTO deletions VALUES (?, ?, ?, ?)", sealing: .text(remote), .time(now), .integer(count))
  }

}
