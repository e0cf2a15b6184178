internal import GRDB
import SyncKit

extension DatabaseQueue {
  /// A connection that commits durably, whatever happens to the machine afterwards.
  static func forArchive(at path: String) throws(SyncError) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA page_size = 8192;
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA cell_size_check = ON;
          PRAGMA trusted_schema = OFF;
          PRAGMA temp_store = MEMORY;
          """)
    }
    do { return try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw SyncError(archive: error)
    }
  }

  /// What `body` makes of the database, before anything else is done with it.
  func turn<Value>(_ body: (Database) throws -> Value) throws(SyncError) -> Value {
    do { return try inDatabase(body) } catch { throw SyncError(archive: error) }
  }
}

extension Database {
  /// What `body` makes, as one transaction; all or nothing of it is durable afterwards.
  func transaction<Value>(_ kind: TransactionKind, _ body: () throws -> Value) throws -> Value {
    try beginTransaction(kind)
    do {
      let value = try body()
      try commit()
      return value
    } catch {
      // A failed commit has been rolled back already, and the error that led here is the one that counts.
      if isInsideTransaction { try? rollback() }
      throw error
    }
  }

  /// Looks at the structure of the whole database, but not at what its records say.
  func checkQuickly() throws {
    let findings = try all("PRAGMA quick_check(1)") { $0.text(0) }
    guard findings == ["ok"] else { throw SyncError.damaged(findings.first ?? "its structure cannot be checked") }
  }
}
