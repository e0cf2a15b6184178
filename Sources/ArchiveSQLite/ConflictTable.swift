internal import GRDB
import SyncKit

/// The open conflicts.
enum ConflictTable {
  /// Returns all conflicts by remote and path, oldest first.
  static func waiting(_ db: Database) throws -> [WaitingConflict] {
    try db.all(
      """
      SELECT remote, path, base, local, other, copy, marked, pass, opened, checksum
      FROM conflicts ORDER BY remote, path, pass
      """, value: WaitingConflict.init)
  }

  static func open(of remote: String, _ db: Database) throws -> [OpenConflict] {
    try waiting(db).filter { $0.remote == remote }.map(\.conflict)
  }

  static func insert(_ conflict: OpenConflict, of remote: String, _ stamp: Stamp, _ db: Database) throws {
    try db.run(
      "INSERT OR REPLACE INTO conflicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      sealing: .text(remote), .path(conflict.path), .digest(conflict.base), .digest(conflict.local),
      .digest(conflict.remote), .path(conflict.copy), .digest(conflict.marked), .integer(stamp.run.number),
      .time(stamp.time))
  }

  static func remove(_ conflict: OpenConflict, of remote: String, _ db: Database) throws {
    try db.run(
      "DELETE FROM conflicts WHERE remote = ? AND path = ? AND copy IS ?", .text(remote), .path(conflict.path),
      .path(conflict.copy))
  }
}

extension WaitingConflict {
  /// Reads a conflict from a row of its table.
  fileprivate init(_ columns: Columns) throws {
    try columns.verify(first: 9)
    let conflict = OpenConflict(
      path: try columns.path(1), base: try columns.optional(2, columns.digest),
      local: try columns.optional(3, columns.digest), remote: try columns.optional(4, columns.digest),
      copy: try columns.optional(5, columns.path), marked: try columns.optional(6, columns.digest))
    self.init(remote: columns.text(0), conflict: conflict, pass: columns.integer(7), since: columns.time(8))
  }
}
