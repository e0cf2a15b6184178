internal import GRDB
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A batch that was recorded before its files were written.
struct IntendedBatch: Sendable {
  /// A file of the batch.
  struct Change: Sendable {
    var path: SyncPath
    /// The content before; nil for a new file.
    var before: [UInt8]?
    var after: [UInt8]
  }

  /// The number among the batches of all clients.
  var number: Int
  /// The name of the device.
  var device: String
  var changes: [Change]
  /// The answer, as JSON.
  var answer: String
}

/// What the hub knows about a number of a client.
enum KnownBatch: Sendable {
  /// The batch was carried out, with this answer.
  case done(answer: String, digest: Digest?)
  /// The next number of the client.
  case next(Int)
}

extension HubDatabase {
  /// Returns what is known about a number of a client.
  func known(_ client: String, _ place: Int) throws(SyncError) -> KnownBatch {
    try read { db in
      if let row = try Row.fetchOne(
        db, sql: "SELECT answer, digest FROM batch WHERE client = ? AND place = ? AND isDone",
        arguments: [client, place])
      {
        return .done(answer: row[0], digest: Digest(bytes: [UInt8](row[1] as Data)))
      }
      let last = try Int.fetchOne(
        db, sql: "SELECT MAX(place) FROM batch WHERE client = ? AND isDone", arguments: [client])
      return .next((last ?? 0) + 1)
    }
  }

  /// Returns the device that used a client last; nil for a new client.
  func device(ofClient client: String) throws(SyncError) -> String? {
    try read { db in
      try String.fetchOne(
        db, sql: "SELECT device FROM batch WHERE client = ? ORDER BY number DESC LIMIT 1", arguments: [client])
    }
  }

  /// Returns true if a device sent no batch since another was paired: a browser that was paired again is another device, and
  /// continues with its client.
  func isSilent(_ owner: String, since other: HubDevice) throws(SyncError) -> Bool {
    try read { db in
      let last = try Int64.fetchOne(db, sql: "SELECT MAX(at) FROM batch WHERE device = ?", arguments: [owner])
      return last.map { $0 < other.created.seconds } ?? true
    }
  }

  /// The number of the last batch that was carried out; 0 for none.
  func lastBatch() throws(SyncError) -> Int {
    try read { db in try Int.fetchOne(db, sql: "SELECT MAX(number) FROM batch WHERE isDone") ?? 0 }
  }

  /// Records a batch with its answer and the files that it changes, before the first of them is written. Returns its number.
  func intend(
    _ batch: Batch, by device: String, _ changes: [IntendedBatch.Change], answer: (Int) -> JSON, at now: Timestamp
  ) throws(SyncError) -> Int {
    try write { db in
      try db.execute(
        sql: "INSERT INTO batch (client, place, device, digest, isDone, answer, at) VALUES (?, ?, ?, ?, 0, '', ?)",
        arguments: [batch.client, batch.number, device, Self.blob(batch.digest.bytes), now.seconds])
      let number = Int(db.lastInsertedRowID)
      try db.execute(
        sql: "UPDATE batch SET answer = ? WHERE number = ?", arguments: [answer(number).line, number])
      for (place, change) in changes.enumerated() {
        try db.execute(
          sql: "INSERT INTO change VALUES (?, ?, ?, ?, ?)",
          arguments: [
            number, place, Self.blob(change.path.bytes), change.before.map(Self.blob), Self.blob(change.after),
          ])
      }
      return number
    }
  }

  /// Returns the batches that were recorded and not finished, oldest first.
  func intended() throws(SyncError) -> [IntendedBatch] {
    try read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT number, device, answer FROM batch WHERE NOT isDone ORDER BY number")
      return try rows.map { row in
        let changes = try Row.fetchAll(
          db, sql: "SELECT path, before, after FROM change WHERE batch = ? ORDER BY place",
          arguments: [row[0] as Int])
        return IntendedBatch(
          number: row[0], device: row[1],
          changes: changes.compactMap { change in
            SyncPath(bytes: [UInt8](change[0] as Data)).map {
              IntendedBatch.Change(
                path: $0, before: (change[1] as Data?).map { [UInt8]($0) }, after: [UInt8](change[2] as Data))
            }
          }, answer: row[2])
      }
    }
  }

  /// Records that a batch was carried out in a pass of the history, with the identifiers that it changed.
  func finish(
    _ number: Int, pass: Int?, answer: String, renamed: [String: String], at now: Timestamp = Runtime.real.now()
  ) throws(SyncError) {
    try write { db in
      try db.execute(
        sql: "UPDATE batch SET isDone = 1, pass = ?, answer = ? WHERE number = ?", arguments: [pass, answer, number])
      try db.execute(sql: "DELETE FROM change WHERE batch = ?", arguments: [number])
      for (old, new) in renamed where old != new {
        try db.execute(sql: "INSERT OR REPLACE INTO alias VALUES (?, ?, ?)", arguments: [old, new, now.seconds])
      }
      // An identifier that is in use again leads nowhere else.
      for new in renamed.values where renamed[new] == nil {
        try db.execute(sql: "DELETE FROM alias WHERE old = ?", arguments: [new])
      }
    }
  }

  /// Forgets a batch that was not carried out.
  func forget(_ number: Int) throws(SyncError) {
    try write { db in
      try db.execute(sql: "DELETE FROM change WHERE batch = ?", arguments: [number])
      try db.execute(sql: "DELETE FROM batch WHERE number = ?", arguments: [number])
    }
  }

  /// Returns the newest identifier of an entry that a batch gave another one; nil if none did.
  func newer(_ id: String) throws(SyncError) -> String? {
    try read { db in
      var newest: String?
      for _ in 0..<100 {
        guard
          let next = try String.fetchOne(db, sql: "SELECT new FROM alias WHERE old = ?", arguments: [newest ?? id])
        else { break }
        newest = next
      }
      return newest
    }
  }
}
