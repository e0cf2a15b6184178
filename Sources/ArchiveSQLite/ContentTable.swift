internal import GRDB
import SyncKit

/// The held contents, with the bytes of the small ones.
enum ContentTable {
  static func insert(_ contents: [Digest: PendingContent], at now: Timestamp, into db: Database) throws {
    guard !contents.isEmpty else { return }
    let age = try ArchiveRow.age(at: now, db)
    for (digest, content) in contents {
      try db.run(
        """
        INSERT INTO contents VALUES (?, ?, ?, ?)
        ON CONFLICT (digest) DO UPDATE SET age = excluded.age WHERE age < excluded.age - ?
        """, .digest(digest), .integer(content.size), .integer(age), .bytes(content.bytes), .integer(ArchiveClock.day))
    }
  }

  /// Removes a content; returns true if its bytes are in a file.
  static func remove(_ digest: Digest, _ db: Database) throws -> Bool {
    let isFile = try db.first("SELECT bytes IS NULL FROM contents WHERE digest = ?", .digest(digest)) {
      $0.integer(0) != 0
    }
    try db.run("DELETE FROM contents WHERE digest = ?", .digest(digest))
    return isFile == true
  }

  /// Returns the number of contents and their total size in bytes.
  static func total(_ db: Database) throws -> (count: Int, bytes: Int) {
    try db.first("SELECT count(*), ifnull(sum(size), 0) FROM contents") { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  static func holds(_ digest: Digest, _ db: Database) throws -> Bool {
    try db.first("SELECT 1 FROM contents WHERE digest = ?", .digest(digest)) { _ in true } ?? false
  }

  /// Finds a content: its bytes, or only its size if a file has them; nil if it is not held.
  static func find(_ digest: Digest, _ db: Database) throws -> PendingContent? {
    try db.first("SELECT size, bytes FROM contents WHERE digest = ?", .digest(digest)) { columns in
      columns.isNull(1) ? .file(size: columns.integer(0)) : .bytes(columns.bytes(1))
    }
  }
}
