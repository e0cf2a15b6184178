internal import GRDB
import SyncKit

/// The number of deletions made without approval, with their times.
enum DeletionTable {
  /// Returns how many there were in the 24 hours before `now`. Future times count as well, because clocks go wrong.
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
