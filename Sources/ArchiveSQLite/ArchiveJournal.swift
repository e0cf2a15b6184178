internal import GRDB
import SyncKit

/// The small durable records of one remote, in the archive.
struct ArchiveJournal: Journal {
  let remote: String
  let database: ArchiveDatabase

  func records() async throws(SyncError) -> [String: [UInt8]] {
    try await database.read { [remote] db in
      let records = try db.all(
        "SELECT remote, key, value, checksum FROM journal WHERE remote = ?", .text(remote)
      ) { columns in
        try columns.verify(first: 3)
        return (columns.text(1), columns.bytes(2))
      }
      return Dictionary(records, uniquingKeysWith: { $1 })
    }
  }

  /// Returns one record of a remote; nil if there is none.
  static func record(at key: String, of remote: String, _ db: Database) throws -> [UInt8]? {
    let sql = "SELECT remote, key, value, checksum FROM journal WHERE remote = ? AND key = ?"
    return try db.all(sql, .text(remote), .text(key)) { columns in
      try columns.verify(first: 3)
      return columns.bytes(2)
    }.first
  }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {
    guard !records.isEmpty else { return }
    try await database.writeUrgently(between: .journalWriting, and: .journalWritten) { [remote] db in
      for (key, value) in records { try Self.write(value, at: key, of: remote, db) }
    }
  }

  /// Writes one record of a remote; removes it if `value` is nil.
  static func write(_ value: [UInt8]?, at key: String, of remote: String, _ db: Database) throws {
    if let value {
      try db.run(
        "INSERT OR REPLACE INTO journal VALUES (?, ?, ?, ?)", sealing: .text(remote), .text(key), .bytes(value))
    } else {
      try db.run("DELETE FROM journal WHERE remote = ? AND key = ?", .text(remote), .text(key))
    }
  }
}
