internal import GRDB
import SyncKit

/// Versions that were displaced, and what was agreed on for each path from pass to pass.
enum VersionTable {
  /// Where a displaced version was live.
  enum Origin: String {
    case local, remote, both

    init(_ side: Side) { self = side == .local ? .local : .remote }
  }

  /// Notes a version that is about to be displaced; refuses one whose content would be lost.
  static func keep(_ version: Version, _ stamp: Stamp, _ db: Database) throws {
    guard try ContentTable.holds(version.digest, db) else {
      throw SyncError(.pathFailed, "\(version.path) is not displaced: its content has not been kept")
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

  /// Notes what was agreed on for a path before and after a pass.
  static func turn(_ path: SyncPath, from before: Digest?, to after: Digest?, in run: Run, _ db: Database) throws {
    try db.run(
      """
      INSERT INTO timeline VALUES (?, ?, ?, ?)
      ON CONFLICT (path, pass) DO UPDATE SET after = excluded.after
      """, .path(path), .integer(run.number), .digest(before), .digest(after))
  }
}
