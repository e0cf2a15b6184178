internal import GRDB
internal import SyncKit

/// The tables of a store.
enum StoreSchema {
  /// The number of the format. A file with a higher one was written by a newer version.
  static let version = 1
  /// Marks the file as a store of syncd, for `file(1)` and against other databases: "OrgS".
  static let application = 0x4F72_6753

  /// Returns true if the tables were created.
  static func exists(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") != 0
  }

  /// Creates the tables.
  ///
  /// `file` has a row for each path, in folder order; its checksum covers the columns before it. The bytes of a content are the
  /// rows of `part` from `content << 20` on, at most 1 MiB each. `staged` has the contents that belong to no file yet, and
  /// `written` those that passes wrote and may not have recorded.
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE file (
          path BLOB PRIMARY KEY, revision INTEGER NOT NULL, content INTEGER NOT NULL, size INTEGER NOT NULL,
          modified INTEGER NOT NULL, digest BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE part (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE staged (content INTEGER PRIMARY KEY);
        CREATE TABLE written (path BLOB, digest BLOB, PRIMARY KEY (path, digest)) WITHOUT ROWID;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
    try StoreMeta.set("id", Runtime.real.uniqueName(length: 26), db)
    try StoreMeta.set("counter", 0, db)
  }

  /// Throws if the file is another database, or was written by a newer version.
  static func requireOurs(_ db: Database, _ path: String) throws {
    guard try Int.fetchOne(db, sql: "PRAGMA application_id") == application else {
      throw SyncError(.wrongReplica, "\(path) is not a store of syncd; change `path` in [store]")
    }
    guard try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 <= version else {
      throw SyncError(
        .otherVersion, "\(path) was written by a newer syncd; nothing was changed. Install that version again")
    }
  }
}

/// Single values of a store.
enum StoreMeta {
  static func value<Value: DatabaseValueConvertible>(_ name: String, _ db: Database) throws -> Value? {
    try Value.fetchOne(db.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?"), arguments: [name])
  }

  static func set(_ name: String, _ value: some DatabaseValueConvertible, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)").execute(arguments: [name, value])
  }

  /// The store's identity.
  static func id(_ db: Database) throws -> String {
    guard let id: String = try value("id", db) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no id")
    }
    return id
  }

  /// The number of the last change.
  static func counter(_ db: Database) throws -> Int64 {
    guard let counter: Int64 = try value("counter", db) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no counter")
    }
    return counter
  }
}
