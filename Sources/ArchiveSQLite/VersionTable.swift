internal import GRDB
import SyncKit

/// Previous versions, and the agreed version of each path from pass to pass.
enum VersionTable {
  /// The side of a previous version.
  enum Origin: String {
    case local, remote, both

    init(_ side: Side) { self = side == .local ? .local : .remote }

    /// The side; nil for both.
    var side: Side? { Side(rawValue: rawValue) }
  }

  /// Records a version that is about to be replaced; refuses one whose content would be lost.
  static func keep(_ version: Version, _ stamp: Stamp, _ db: Database) throws {
    guard try ContentTable.holds(version.digest, db) else {
      throw SyncError(.pathFailed, "cannot replace \(version.path): its content is not in the history")
    }
    try insert(version.digest, of: version.path, from: Origin(version.side), of: version.remote, stamp, db)
  }

  static func insert(
    _ digest: Digest, of path: SyncPath, from origin: Origin, of remote: String, _ stamp: Stamp, _ db: Database
  ) throws {
    try db.run(
      "INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      sealing: .path(path), .digest(digest), .integer(stamp.run.number), .text(remote), .text(origin.rawValue),
      .time(stamp.time), .integer(stamp.age))
  }

  /// Records the agreed version of a path before and after a pass.
  static func turn(_ path: SyncPath, from before: Digest?, to after: Digest?, in run: Run, _ db: Database) throws {
    try db.run(
      """
      INSERT INTO timeline VALUES (?, ?, ?, ?)
      ON CONFLICT (path, pass) DO UPDATE SET after = excluded.after
      """, .path(path), .integer(run.number), .digest(before), .digest(after))
  }

  /// Returns the state of a path after a pass: the result of the last change up to it, else the state before the first change
  /// after it, else the state of a path that never changed.
  static func state(of path: SyncPath, afterPass number: Int, _ db: Database) throws -> FormerState {
    func state(_ sql: String, _ values: SQLValue...) throws -> FormerState? {
      try db.first(sql, values) { try $0.optional(0, $0.digest).map(FormerState.content) ?? .absent }
    }
    return try state(
      "SELECT after FROM timeline WHERE path = ? AND pass <= ? ORDER BY pass DESC LIMIT 1", .path(path),
      .integer(number))
      ?? state(
        "SELECT before FROM timeline WHERE path = ? AND pass > ? ORDER BY pass LIMIT 1", .path(path), .integer(number))
      ?? state(
        "SELECT digest FROM agreements WHERE remote IN (SELECT id FROM remotes) AND path = ? LIMIT 1", .path(path))
      ?? .unknown
  }

  /// Returns the versions that were agreed on, the newest first and each once.
  static func agreed(of path: SyncPath, atMost count: Int, _ db: Database) throws -> [Digest] {
    try db.all(
      """
      SELECT digest FROM (
        SELECT after AS digest, max(pass) AS pass FROM timeline WHERE path = ?1 AND after IS NOT NULL GROUP BY after)
      ORDER BY pass DESC LIMIT ?2
      """, .path(path), .integer(count)
    ) { try $0.digest(0) }
  }

  /// Returns the files whose last agreed change was their deletion, latest deletion first.
  static func deleted(since: Timestamp?, _ db: Database) throws -> [DeletedFile] {
    try db.all(
      """
      SELECT gone.path, gone.pass, passes.started, gone.before, contents.size, present.path
      FROM timeline AS gone
        JOIN passes ON passes.number = gone.pass
        LEFT JOIN contents ON contents.digest = gone.before
        LEFT JOIN (SELECT digest, min(path) AS path FROM agreements GROUP BY digest) AS present
          ON present.digest = gone.before
      WHERE gone.after IS NULL AND gone.before IS NOT NULL AND passes.started >= ?
        AND NOT EXISTS (SELECT 1 FROM timeline AS later WHERE later.path = gone.path AND later.pass > gone.pass)
        AND NOT EXISTS (SELECT 1 FROM agreements WHERE remote IN (SELECT id FROM remotes) AND path = gone.path)
      ORDER BY gone.pass DESC, gone.path
      """, .integer(since?.nanoseconds ?? .min)
    ) { columns in
      DeletedFile(
        path: try columns.path(0), pass: columns.integer(1), deleted: columns.time(2), digest: try columns.digest(3),
        size: columns.optional(4, columns.integer), copy: try columns.optional(5, columns.path))
    }
  }

  /// Returns every path with a version.
  static func paths(_ db: Database) throws -> Set<SyncPath> {
    Set(
      try db.all(
        """
        SELECT path FROM timeline UNION SELECT path FROM versions
        UNION SELECT path FROM agreements WHERE remote IN (SELECT id FROM remotes)
        """
      ) { try $0.path(0) })
  }

  /// Returns the number of previous versions; one that several passes replaced counts once.
  static func count(_ db: Database) throws -> Int {
    try db.first("SELECT count(*) FROM (SELECT DISTINCT path, digest FROM versions)") { $0.integer(0) } ?? 0
  }

  /// True if this version of a path was replaced.
  static func holds(_ digest: Digest, of path: SyncPath, _ db: Database) throws -> Bool {
    try db.first("SELECT 1 FROM versions WHERE path = ? AND digest = ? LIMIT 1", .path(path), .digest(digest)) { _ in
      true
    } ?? false
  }

  /// Reads every row; throws if one is damaged.
  static func verify(_ db: Database) throws {
    _ = try db.all("SELECT path, digest, pass, remote, side, displaced, age, checksum FROM versions") {
      try $0.verify(first: 7)
    }
  }

  /// Returns the previous versions of a path whose contents are held, newest first.
  static func versions(of path: SyncPath, _ db: Database) throws -> [DisplacedVersion] {
    try db.all(
      """
      SELECT versions.path, versions.digest, pass, remote, side, displaced, versions.age, checksum, size
      FROM versions JOIN contents ON contents.digest = versions.digest
      WHERE path = ? ORDER BY pass DESC, versions.age DESC, displaced DESC
      """, .path(path), value: DisplacedVersion.init)
  }
}

extension DisplacedVersion {
  /// Reads a version from a row of its table that also has the size of its content.
  fileprivate init(_ columns: Columns) throws {
    try columns.verify(first: 7)
    let origin: VersionTable.Origin = try columns.choice(4)
    self.init(
      digest: try columns.digest(1), size: columns.integer(8), remote: columns.text(3), side: origin.side,
      pass: columns.integer(2), displaced: columns.time(5))
  }
}
