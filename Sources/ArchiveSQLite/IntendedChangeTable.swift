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
      let bytes = columns.bytes(2)
      guard let changes = [IntendedChange](archived: bytes) else {
        throw SyncError.damaged("what a pass was about to do with \(remote) cannot be read")
      }
      return (number: columns.integer(1), changes: changes, digest: Digest(of: bytes))
    }
    let changes = try batches.flatMap { batch in
      let sides = try ArchiveJournal.record(at: sidesKey(of: batch.number), of: remote, db)
      return sides.flatMap { batch.changes.adding(sides: $0, of: batch.digest) } ?? batch.changes
    }
    return (changes.latestOfEachPath, batches.last?.number ?? 0)
  }

  /// Returns the paths of the changes of all remotes.
  static func paths(_ db: Database) throws -> Set<SyncPath> {
    let remotes = try db.all("SELECT DISTINCT remote FROM intended") { columns in columns.text(0) }
    return Set(try remotes.flatMap { try open(of: $0, db).changes.map(\.path) })
  }

  static func insert(_ changes: [IntendedChange], of remote: String, batch: Int, _ db: Database) throws {
    guard !changes.isEmpty else { return }
    let bytes = changes.archived
    try db.run(
      "INSERT OR REPLACE INTO intended VALUES (?, ?, ?, ?)", sealing: .text(remote), .integer(batch), .bytes(bytes))
    try ArchiveJournal.write(changes.sides(digest: Digest(of: bytes)), at: sidesKey(of: batch), of: remote, db)
  }

  /// Writes which sides the changes of a batch have reached.
  ///
  /// They are in the journal, so that older programs can read the batch. A record that such a program has left behind does not
  /// fit the batch that it wrote in its place.
  static func writeSides(of changes: [IntendedChange], of remote: String, batch: Int, _ db: Database) throws {
    let sides = changes.sides(digest: Digest(of: changes.archived))
    try ArchiveJournal.write(sides, at: sidesKey(of: batch), of: remote, db)
  }

  private static func sidesKey(of batch: Int) -> String { "engine.sides.\(batch)" }

  /// Removes the batches that have ended, except for the changes whose result is unknown.
  static func end(_ batches: EndedBatches, of remote: String, _ db: Database) throws {
    try remove(upTo: batches.last, of: remote, db)
    try insert(batches.open, of: remote, batch: batches.last, db)
  }

  static func removeAll(of remote: String, _ db: Database) throws {
    try remove(upTo: .max, of: remote, db)
  }

  private static func remove(upTo last: Int, of remote: String, _ db: Database) throws {
    let numbers = try db.all(
      "SELECT batch FROM intended WHERE remote = ? AND batch <= ?", .text(remote), .integer(last)
    ) { columns in columns.integer(0) }
    for number in numbers { try ArchiveJournal.write(nil, at: sidesKey(of: number), of: remote, db) }
    try db.run("DELETE FROM intended WHERE remote = ? AND batch <= ?", .text(remote), .integer(last))
  }
}
