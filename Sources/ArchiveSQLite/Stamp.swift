internal import GRDB
import SyncKit

/// The time and run of a write.
struct Stamp {
  var run: Run
  var time: Timestamp
  /// The time of the archive's own clock, by which its history ages.
  var age: Int

  init(run: Run, time: Timestamp, _ db: Database) throws {
    self.run = run
    self.time = time
    age = try ArchiveRow.age(at: time, db)
  }
}
