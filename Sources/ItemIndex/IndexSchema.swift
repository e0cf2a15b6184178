internal import GRDB

/// The tables of an index.
enum IndexSchema {
  /// The number of the format; an index with another number is built again.
  static let version = 2

  /// Removes all tables and creates them.
  static func create(_ db: Database, _ options: IndexOptions) throws {
    let tables = try String.fetchAll(
      db,
      sql:
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'words_%'"
    )
    for table in tables { try db.execute(sql: "DROP TABLE \"\(table)\"") }
    try db.execute(
      sql: """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE file (
          id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, size INTEGER, modified INTEGER, changed INTEGER, inode INTEGER,
          checked INTEGER, mark INTEGER, settings TEXT, groups TEXT, states TEXT, places BLOB, marks BLOB);
        CREATE INDEX fileStates ON file (states, path);
        CREATE INDEX fileGroups ON file (path, groups) WHERE groups <> '';
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, first INTEGER, last INTEGER, logFirst INTEGER,
          logLast INTEGER, state TEXT, done INTEGER, priority TEXT, scheduled INTEGER, deadline INTEGER, closed INTEGER,
          item BLOB);
        CREATE TABLE tag (name TEXT, entry INTEGER, own INTEGER, PRIMARY KEY (name, entry)) WITHOUT ROWID;
        CREATE TABLE property (key TEXT, value TEXT, entry INTEGER, PRIMARY KEY (key, value, entry)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, tokenize='ascii');
        """)
    try createIndexes(db)
    try set("options", options.text, db)
    try set("stale", 0, db)
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Returns true if the index has this format and was made with these options.
  static func fits(_ db: Database, _ options: IndexOptions) throws -> Bool {
    guard try Int.fetchOne(db, sql: "PRAGMA user_version") == version else { return false }
    return try value("options", db) == options.text
  }

  static func createIndexes(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE INDEX entryDays ON entry (last, first) WHERE last IS NOT NULL;
        CREATE INDEX entryLog ON entry (logLast, logFirst) WHERE logLast IS NOT NULL;
        CREATE INDEX entryState ON entry (state) WHERE state IS NOT NULL;
        CREATE INDEX entryScheduled ON entry (scheduled) WHERE scheduled IS NOT NULL;
        CREATE INDEX entryDeadline ON entry (deadline) WHERE deadline IS NOT NULL;
        CREATE INDEX entryClosed ON entry (closed) WHERE closed IS NOT NULL;
        """)
  }

  static func dropIndexes(_ db: Database) throws {
    for name in ["Days", "Log", "State", "Scheduled", "Deadline", "Closed"] {
      try db.execute(sql: "DROP INDEX entry\(name)")
    }
  }

  static func value<Value: DatabaseValueConvertible>(_ name: String, _ db: Database) throws -> Value? {
    try Value.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
  }

  static func set(_ name: String, _ value: some DatabaseValueConvertible, _ db: Database) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)", arguments: [name, value])
  }
}
