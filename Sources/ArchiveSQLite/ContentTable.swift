internal import GRDB
import SyncKit

/// The held contents: each one in a block of a pack file, or in a file of its own.
enum ContentTable {
  static func insert(_ contents: [Digest: PendingContent], at now: Timestamp, into db: Database) throws {
    guard !contents.isEmpty else { return }
    let age = try ArchiveRow.age(at: now, db)
    var blocks: [BlockPlace: Int] = [:]
    for (digest, content) in contents {
      switch content {
      case .bytes: throw SyncError(.unexpected, "the content \(digest) is not packed")
      case .held: try renew(digest, age: age, db)
      case .file(let size): try insert(digest, size: size, in: nil, age: age, db)
      case .packed(let block, let member):
        let number = try blocks[block.place] ?? BlockTable.insert(block, db)
        blocks[block.place] = number
        try insert(digest, size: member.size, in: (number, member.start), age: age, db)
      }
    }
  }

  /// Makes a content that is held as young as a new one.
  private static func renew(_ digest: Digest, age: Int, _ db: Database) throws {
    guard try holds(digest, db) else { throw SyncError.damaged("the content \(digest) is missing") }
    try db.run(
      "UPDATE contents SET age = ?1 WHERE digest = ?2 AND age < ?1 - ?3", .integer(age), .digest(digest),
      .integer(ArchiveClock.day))
  }

  private static func insert(
    _ digest: Digest, size: Int, in block: (number: Int, start: Int)?, age: Int, _ db: Database
  ) throws {
    try db.run(
      """
      INSERT INTO contents VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (digest) DO UPDATE SET age = excluded.age WHERE age < excluded.age - ?
      """, .digest(digest), .integer(size), .integer(age), .integer(block?.number), .integer(block?.start),
      .integer(ArchiveClock.day))
  }

  /// Inserts the contents of a block that was written while an older archive is converted or a pack is rewritten.
  static func place(_ block: Block, age: (Digest) -> Int, _ db: Database) throws {
    let number = try BlockTable.insert(block, db)
    for member in block.members {
      try db.run(
        "INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?)", .digest(member.digest), .integer(member.size),
        .integer(age(member.digest)), .integer(number), .integer(member.start))
    }
  }

  /// Removes a content; returns true if its bytes are in a file of its own.
  static func remove(_ digest: Digest, _ db: Database) throws -> Bool {
    let isFile = try db.first("SELECT block IS NULL FROM contents WHERE digest = ?", .digest(digest)) {
      $0.integer(0) != 0
    }
    try db.run("DELETE FROM contents WHERE digest = ?", .digest(digest))
    return isFile == true
  }

  /// Returns the number of contents and their total size in bytes.
  static func total(_ db: Database) throws -> (count: Int, bytes: Int) {
    try db.first("SELECT count(*), ifnull(sum(size), 0) FROM contents") { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// Returns the size of a content; nil if it is not held.
  static func size(of digest: Digest, _ db: Database) throws -> Int? {
    try db.first("SELECT size FROM contents WHERE digest = ?", .digest(digest)) { $0.integer(0) }
  }

  static func holds(_ digest: Digest, _ db: Database) throws -> Bool { try size(of: digest, db) != nil }

  /// Returns the position of a content in its block; nil if it is not in one.
  static func position(of digest: Digest, _ db: Database) throws -> (block: Int, start: Int, size: Int)? {
    try db.first("SELECT block, start, size FROM contents WHERE digest = ? AND block IS NOT NULL", .digest(digest)) {
      ($0.integer(0), $0.integer(1), $0.integer(2))
    }
  }

  /// Finds a content; nil if it is not held.
  static func find(_ digest: Digest, _ db: Database) throws -> StoredContent? {
    let row = try db.first("SELECT size, block, start FROM contents WHERE digest = ?", .digest(digest)) { columns in
      (size: columns.integer(0), block: columns.optional(1, columns.integer), start: columns.integer(2))
    }
    guard let row else { return nil }
    guard let block = row.block else { return .file(size: row.size) }
    guard let packed = try BlockTable.content(at: row.start, size: row.size, in: block, db) else {
      throw SyncError.damaged("the content \(digest) is missing")
    }
    return .packed(packed)
  }

  /// Returns a version of a path that both sides of a remote agreed on, and how to read it; nil if no block has one.
  static func agreed(at path: SyncPath, _ db: Database) throws -> (Digest, PackedContent)? {
    let digest = try db.first(
      "SELECT digest FROM agreements WHERE remote IN (SELECT id FROM remotes) AND path = ? LIMIT 1", .path(path)
    ) { try $0.digest(0) }
    guard let digest, let position = try position(of: digest, db) else { return nil }
    return try BlockTable.content(at: position.start, size: position.size, in: position.block, db).map { (digest, $0) }
  }
}

/// Where the bytes of a held content are.
enum StoredContent: Sendable {
  case file(size: Int)
  case packed(PackedContent)
}
