internal import GRDB
import SyncKit

/// The held deletions, and the approved ones.
enum HoldTable {
  /// Returns the hold of one remote, and the time since when it exists.
  static func hold(of remote: String, _ db: Database) throws -> (hold: Hold, since: Timestamp)? {
    let row = try db.first("SELECT remote, id, reason, since, checksum FROM holds WHERE remote = ?", .text(remote)) {
      try $0.verify(first: 4)
      return (id: $0.text(1), reason: $0.text(2), since: $0.time(3))
    }
    guard let row else { return nil }
    let hold = Hold(reason: row.reason, items: try items(in: .held, of: remote, db))
    guard hold.id == row.id else { throw SyncError.damaged("the list of held deletions of \(remote) is incomplete") }
    return (hold, row.since)
  }

  /// Returns the remotes that have a hold.
  static func remotes(_ db: Database) throws -> [String] {
    try db.all("SELECT remote FROM holds ORDER BY remote") { $0.text(0) }
  }

  /// Returns the remotes that have approved deletions.
  static func approvedRemotes(_ db: Database) throws -> [String] {
    try db.all("SELECT DISTINCT remote FROM approved ORDER BY remote") { $0.text(0) }
  }

  /// Returns the remotes whose hold is exactly the set with this id.
  static func remotes(holding id: String, _ db: Database) throws -> [String] {
    try db.all("SELECT remote FROM holds WHERE id = ? ORDER BY remote", .text(id)) { $0.text(0) }
  }

  /// Replaces the hold of a remote by `hold`; an empty one ends it.
  static func set(_ hold: Hold, of remote: String, at now: Timestamp, _ db: Database) throws {
    let before = try self.hold(of: remote, db)
    guard before?.hold != hold else { return }
    try db.run("DELETE FROM holds WHERE remote = ?", .text(remote))
    try removeAll(from: .held, of: remote, db)
    guard !hold.items.isEmpty else { return }
    // What is left of a hold was held before.
    let since = hold.items.isSubset(of: before?.hold.items ?? []) ? before?.since : nil
    try db.run(
      "INSERT INTO holds VALUES (?, ?, ?, ?, ?)",
      sealing: .text(remote), .text(hold.id), .text(hold.reason), .time(since ?? now))
    for item in hold.items { try insert(item, into: .held, of: remote, db) }
  }

  /// Returns the approved deletions of one remote that have not been made yet.
  static func approved(of remote: String, _ db: Database) throws -> Set<HeldItem> {
    try items(in: .approved, of: remote, db)
  }

  /// Approves `part` of the hold of one remote, or all of it if `part` is nil; never deletions that join the hold later.
  static func approve(_ part: Set<HeldItem>?, of remote: String, at now: Timestamp, _ db: Database) throws {
    guard let hold = try hold(of: remote, db)?.hold else { return }
    let items = part.map(hold.items.intersection) ?? hold.items
    for item in items { try insert(item, into: .approved, of: remote, db) }
    try set(hold.of(hold.items.subtracting(items)), of: remote, at: now, db)
  }

  /// Removes an approval, because the deletion was made.
  static func use(_ item: HeldItem, of remote: String, _ db: Database) throws {
    try db.run(
      "DELETE FROM approved WHERE remote = ? AND path = ? AND side = ? AND digest = ?",
      .text(remote), .path(item.path), .text(item.side.rawValue), .digest(item.digest))
  }

  /// Removes the hold and the approvals of a remote.
  static func removeAll(of remote: String, _ db: Database) throws {
    try db.run("DELETE FROM holds WHERE remote = ?", .text(remote))
    try removeAll(from: .held, of: remote, db)
    try removeAll(from: .approved, of: remote, db)
  }

  private enum List: String { case held, approved }

  private static func items(in list: List, of remote: String, _ db: Database) throws -> Set<HeldItem> {
    Set(
      try db.all(
        "SELECT remote, path, side, digest, checksum FROM \(list) WHERE remote = ?", .text(remote)
      ) { columns in
        try columns.verify(first: 4)
        return HeldItem(path: try columns.path(1), digest: try columns.digest(3), side: try columns.choice(2))
      })
  }

  private static func insert(_ item: HeldItem, into list: List, of remote: String, _ db: Database) throws {
    try db.run(
      "INSERT OR REPLACE INTO \(list) VALUES (?, ?, ?, ?, ?)",
      sealing: .text(remote), .path(item.path), .text(item.side.rawValue), .digest(item.digest))
  }

  private static func removeAll(from list: List, of remote: String, _ db: Database) throws {
    try db.run("DELETE FROM \(list) WHERE remote = ?", .text(remote))
  }
}
