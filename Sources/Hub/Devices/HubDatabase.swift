internal import GRDB
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the hub remembers in the state folder: its devices, pairing codes, and the batches that devices sent.
///
/// Several processes may have it open. Each change is durable when its function returns.
package final class HubDatabase: Sendable {
  let queue: DatabaseQueue
  private static let version = 4

  /// Opens the database in a state folder, and creates it if it is missing.
  package init(in folder: String) throws(SyncError) {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    do {
      queue = try DatabaseQueue(path: "\(folder)/hub.sqlite", configuration: configuration)
      try queue.writeWithoutTransaction { db in
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        try db.inTransaction(.immediate) {
          try Self.migrate(db)
          return .commit
        }
      }
    } catch let error as SyncError { throw error } catch { throw Self.failure(error) }
  }

  private static func migrate(_ db: Database) throws {
    let present = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    guard present <= version else {
      throw SyncError(.otherVersion, "the hub's database is of a newer syncd; update syncd on this machine")
    }
    if present < 1 { try db.execute(sql: firstTables) }
    if present < 2 { try db.execute(sql: pushTables) }
    if present < 3 { try db.execute(sql: ages) }
    if present < 4 { try db.execute(sql: "ALTER TABLE pairing ADD COLUMN maker TEXT") }
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  private static let firstTables = """
    CREATE TABLE device (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, scope TEXT NOT NULL, token BLOB UNIQUE NOT NULL, created INTEGER NOT NULL,
      seen INTEGER NOT NULL, address TEXT NOT NULL, revoked INTEGER);
    CREATE TABLE pairing (
      code BLOB PRIMARY KEY, name TEXT, scope TEXT NOT NULL, expires INTEGER NOT NULL, used INTEGER);
    CREATE TABLE batch (
      number INTEGER PRIMARY KEY AUTOINCREMENT, client TEXT NOT NULL, place INTEGER NOT NULL, device TEXT NOT NULL,
      digest BLOB NOT NULL, isDone INTEGER NOT NULL, pass INTEGER, answer TEXT NOT NULL, at INTEGER NOT NULL,
      UNIQUE (client, place));
    CREATE TABLE change (
      batch INTEGER NOT NULL, place INTEGER NOT NULL, path BLOB NOT NULL, before BLOB, after BLOB NOT NULL,
      PRIMARY KEY (batch, place));
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE alias (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID;
    """

  /// Where devices get reminders, and the reminders that wait to be sent.
  private static let pushTables = """
    CREATE TABLE push (device TEXT PRIMARY KEY, endpoint TEXT UNIQUE NOT NULL, key BLOB NOT NULL, secret BLOB NOT NULL);
    CREATE TABLE push_message (
      number INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, topic TEXT NOT NULL, text BLOB NOT NULL,
      expires INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL, UNIQUE (device, topic));
    """

  /// When an entry got another identifier, so that ``tidy(at:)`` can remove it, and an index for the batches that a crash interrupted,
  /// which are looked up before each batch.
  private static let ages = """
    ALTER TABLE alias ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
    UPDATE alias SET at = coalesce((SELECT MAX(at) FROM batch), 0);
    CREATE INDEX unfinished ON batch (number) WHERE NOT isDone;
    """

  /// Remembers the address at which the hub serves.
  package func remember(address: String) throws(SyncError) {
    try write { db in
      try db.execute(sql: "INSERT OR REPLACE INTO fact VALUES ('address', ?)", arguments: [address])
    }
  }

  /// The address at which the hub served last; nil if it never did.
  package func address() throws(SyncError) -> String? {
    try read { db in try String.fetchOne(db, sql: "SELECT value FROM fact WHERE name = 'address'") }
  }

  /// A number that SQLite changes when another connection, such as that of a command, has changed the database.
  func foreignVersion() throws(SyncError) -> Int {
    do { return try queue.unsafeRead { db in try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0 } } catch {
      throw Self.failure(error)
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(SyncError) -> Value {
    do { return try queue.read(body) } catch { throw Self.failure(error) }
  }

  func write<Value>(_ body: (Database) throws -> Value) throws(SyncError) -> Value {
    do {
      var value: Value?
      try queue.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          value = try body(db)
          return .commit
        }
      }
      guard let value else { throw SyncError(.unexpected, "the hub's database did not answer") }
      return value
    } catch let error as SyncError { throw error } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: any Error) -> SyncError {
    SyncError(.damagedState, "cannot use the hub's database hub.sqlite in the state folder: \(error)")
  }
}
