internal import GRDB
import SyncKit

/// The intended changes of batches whose results are not recorded yet: one row per batch, because ten thousand rows would cost
/// more than the changes themselves.
enum IntendedChangeTable {
  /// Returns the changes of every batch without a recorded end, and the highest number of such a batch.
  static func open(of remote: String, _ db: Database) throws -> (changes: [IntendedChange], lastBatch: Int) {
    let batches = try db.all(
      "SELECT remote, batch, changes, checksum FROM intended WHERE remote = ? ORDER BY batch", .text(remote)
    ) { columns in
      try columns.verify(first: 3)
      guard let changes = [IntendedChange](archived: columns.bytes(2)) else {
        throw SyncError.damaged("what a pass was about to do with \(remote) cannot be read")
      }
      return (number: columns.integer(1), changes: changes)
    }
    return (batches.flatMap(\.changes).latestOfEachPath, batches.last?.number ?? 0)
  }

  /// Returns the paths of the changes of all remotes.
  static func paths(_ db: Database) throws -> Set<SyncPath> {
    let remotes = try db.all("SELECT DISTINCT remote FROM intended") { columns in columns.text(0) }
    return Set(try remotes.flatMap { try open(of: $0, db).changes.map(\.path) })
  }

  static func insert(_ changes: [IntendedChange], of remote: String, batch: Int, _ db: Database) throws {
    guard !changes.isEmpty else { return }
    try db.run(
      "INSERT OR REPLACE INTO intended VALUES (?, ?, ?, ?)",
      sealing: .text(remote), .integer(batch), .bytes(changes.archived))
  }

  /// Removes the batches that have ended, except for the changes whose result is unknown.
  static func end(_ batches: EndedBatches, of remote: String, _ db: Database) throws {
    try db.run("DELETE FROM intended WHERE remote = ? AND batch <= ?", .text(remote), .integer(batches.last))
    try insert(batches.open, of: remote, batch: batches.last, db)
  }

  static func removeAll(of remote: String, _ db: Database) throws {
    try db.run("DELETE FROM intended WHERE remote = ?", .text(remote))
  }
}
