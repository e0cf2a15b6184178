internal import GRDB
import SyncKit

/// The layout of the database, as a list of migrations: step n turns format n − 1 into format n.
///
/// A published step is never edited; changes add another one.
package struct ArchiveFormat: Sendable {
  /// The application id that marks a database file as our archive: `OrgS`.
  static let application = 0x4F72_6753

  /// The layout that this version reads and writes.
  package static let current = ArchiveFormat(steps: [first, second, third, fourth])

  package let steps: [String]

  package init(steps: [String]) { self.steps = steps }

  /// The format number of the layout.
  var number: Int { steps.count }

  /// Returns true if a database with this header can be opened, false if its format is newer. Throws if it is not ours.
  func admits(_ header: ArchiveHeader) throws(SyncError) -> Bool {
    guard header.isBlank || header.application == Self.application, header.format >= 0 else {
      throw .damaged("the database belongs to another program")
    }
    return header.format <= number
  }

  /// Migrates from format `old` to this layout in one transaction; format 0 is an empty database.
  func migrate(_ db: Database, from old: Int) throws {
    try ArchiveFailpoint.formatWriting.reach()
    try db.transaction(.immediate) {
      for step in steps[old...] { try db.execute(sql: step) }
      if old == 0 {
        try ArchiveRow().write(db)
        try db.execute(sql: "DROP TABLE IF EXISTS small_contents")
      }
      try db.execute(sql: "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(number)")
    }
    try ArchiveFailpoint.formatWritten.reach()
  }

  /// Rows that decide something end with a checksum of all their other columns.
  private static let first = """
    CREATE TABLE archive (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      generation INTEGER NOT NULL,
      age INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      pruned INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;

    -- Small contents are here, large ones in files of their own; those have no bytes.
    CREATE TABLE contents (
      digest BLOB PRIMARY KEY NOT NULL,
      size INTEGER NOT NULL,
      age INTEGER NOT NULL,
      bytes BLOB
    ) STRICT;

    -- How many agreements there are and the sum of their checksums tell whether all of them are still there.
    CREATE TABLE remotes (
      id INTEGER PRIMARY KEY,
      name TEXT UNIQUE NOT NULL,
      generation INTEGER NOT NULL,
      agreements INTEGER NOT NULL,
      sum INTEGER NOT NULL,
      local_address TEXT,
      local_id TEXT,
      local_generation INTEGER,
      remote_address TEXT,
      remote_id TEXT,
      remote_generation INTEGER,
      local_cursor BLOB,
      remote_cursor BLOB,
      checksum INTEGER NOT NULL
    ) STRICT;

    -- Paths are written with NUL in the place of the separator, which makes the order of the key folder order.
    CREATE TABLE agreements (
      remote INTEGER NOT NULL,
      path BLOB NOT NULL,
      digest BLOB NOT NULL,
      local BLOB NOT NULL,
      other BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, path)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE journal (
      remote TEXT NOT NULL,
      key TEXT NOT NULL,
      value BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE passes (
      number INTEGER PRIMARY KEY,
      started INTEGER NOT NULL,
      age INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE results (
      pass INTEGER NOT NULL,
      remote TEXT NOT NULL,
      result TEXT NOT NULL,
      detail TEXT NOT NULL,
      PRIMARY KEY (pass, remote)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE actions (
      id INTEGER PRIMARY KEY,
      pass INTEGER NOT NULL,
      remote TEXT NOT NULL,
      path BLOB NOT NULL,
      kind TEXT NOT NULL,
      target TEXT NOT NULL,
      result TEXT NOT NULL,
      detail TEXT NOT NULL,
      before BLOB,
      after BLOB
    ) STRICT;
    CREATE INDEX actions_pass ON actions (pass);
    CREATE INDEX actions_path ON actions (path);

    -- What was agreed on before and after a pass that changed it.
    CREATE TABLE timeline (
      path BLOB NOT NULL,
      pass INTEGER NOT NULL,
      before BLOB,
      after BLOB,
      PRIMARY KEY (path, pass)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE versions (
      path BLOB NOT NULL,
      digest BLOB NOT NULL,
      pass INTEGER NOT NULL,
      remote TEXT NOT NULL,
      side TEXT NOT NULL,
      displaced INTEGER NOT NULL,
      age INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (path, digest, pass, remote, side)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE conflicts (
      remote TEXT NOT NULL,
      path BLOB NOT NULL,
      base BLOB,
      local BLOB,
      other BLOB,
      copy BLOB,
      marked BLOB,
      pass INTEGER NOT NULL,
      opened INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, path)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE holds (
      remote TEXT PRIMARY KEY NOT NULL,
      id TEXT NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE held (
      remote TEXT NOT NULL,
      path BLOB NOT NULL,
      side TEXT NOT NULL,
      digest BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, path, side, digest)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE approved (
      remote TEXT NOT NULL,
      path BLOB NOT NULL,
      side TEXT NOT NULL,
      digest BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, path, side, digest)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE deletions (
      remote TEXT NOT NULL,
      time INTEGER NOT NULL,
      count INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    """

  /// A path may have several conflicts, each with its own copy.
  private static let second = """
    CREATE TABLE every_conflict (
      remote TEXT NOT NULL,
      path BLOB NOT NULL,
      base BLOB,
      local BLOB,
      other BLOB,
      copy BLOB,
      marked BLOB,
      pass INTEGER NOT NULL,
      opened INTEGER NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT;
    INSERT INTO every_conflict
      SELECT remote, path, base, local, other, copy, marked, pass, opened, checksum FROM conflicts;
    DROP TABLE conflicts;
    ALTER TABLE every_conflict RENAME TO conflicts;
    CREATE UNIQUE INDEX conflicts_copy ON conflicts (remote, path, ifnull(copy, x''));
    """

  /// The intended changes of batches whose results are not recorded yet.
  private static let third = """
    CREATE TABLE intended (
      remote TEXT NOT NULL,
      batch INTEGER NOT NULL,
      changes BLOB NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (remote, batch)
    ) STRICT;
    """

  /// Contents are in blocks of pack files. Those of the former format are moved by `ContentConversion`.
  private static let fourth = """
    ALTER TABLE contents RENAME TO small_contents;

    -- A block is one frame in a pack file: several contents, or one as the difference from a former content, which is the last
    -- of `depth` differences. To read it, `cost` bytes are decompressed.
    CREATE TABLE blocks (
      id INTEGER PRIMARY KEY,
      pack INTEGER NOT NULL,
      start INTEGER NOT NULL,
      length INTEGER NOT NULL,
      size INTEGER NOT NULL,
      former BLOB,
      depth INTEGER NOT NULL,
      cost INTEGER NOT NULL
    ) STRICT;

    -- A content without a block has a file of its own. Digests are verified when a content is read, so no row has a checksum.
    CREATE TABLE contents (
      digest BLOB PRIMARY KEY NOT NULL,
      size INTEGER NOT NULL,
      age INTEGER NOT NULL,
      block INTEGER,
      start INTEGER
    ) STRICT, WITHOUT ROWID;
    """
}
