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

/// The current run. What is written belongs to the run that is current in the transaction, so two runs never share a number.
final class CurrentRun: Sendable {
  private let run: Mutex<Run>

  init(_ run: Run) { self.run = Mutex(run) }

  var value: Run { run.withLock { $0 } }

  /// Begins this run. A run that has written nothing keeps its number, and so does one that had to make room for another.
  func begin(_ next: Run) {
    run.withLock { $0 = Run(number: max(next.number, $0.number), started: next.started) }
  }

  /// Continues with a number above that of another run.
  func makeRoom(for other: Run) {
    run.withLock { $0.number = max($0.number, other.number + 1) }
  }
}
