internal import GRDB
import SyncKit
internal import Synchronization

/// One run of the program over its remotes, with the number that identifies it in the history.
struct Run: Sendable {
  var number: Int
  var started: Timestamp

  /// Returns a run with a number above every run that wrote something.
  static func next(at now: Timestamp, _ db: Database) throws -> Run {
    Run(number: try db.first("SELECT ifnull(max(number), 0) + 1 FROM passes") { $0.integer(0) } ?? 1, started: now)
  }

  /// Inserts the run's row, which reserves its number, with the run's first write.
  func begin(age: Int, _ db: Database) throws {
    try db.run(
      "INSERT OR IGNORE INTO passes VALUES (?, ?, ?)", .integer(number), .time(started),
      .integer(age))
  }

  /// Returns true if anything of the run has been written.
  func hasBegun(_ db: Database) throws -> Bool {
    try db.first("SELECT 1 FROM passes WHERE number = ?", .integer(number)) { _ in true } ?? false
  }
}

/// The current run.
final class CurrentRun: Sendable {
  private let run: Mutex<Run>

  init(_ run: Run) { self.run = Mutex(run) }

  var value: Run {
    get { run.withLock { $0 } }
    set { run.withLock { $0 = newValue } }
  }
}
