internal import GRDB
import SyncKit

/// When, and in which run, something was written.
struct Stamp {
  var run: Run
  var time: Timestamp
  /// The archive's own time, which its history ages by.
  var age: Int

  init(run: Run, time: Timestamp, _ db: Database) throws {
    self.run = run
    self.time = time
    age = try ArchiveRow.age(at: time, db)
  }
}
