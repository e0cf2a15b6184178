internal import GRDB
import SyncKit

/// The rows of the bases.
///
/// Each row has a checksum, and the remote's row has their sum: a base is either read exactly as it was written, or known to be
/// damaged.
enum AgreementTable {
  /// Returns the whole base of a remote.
  static func base(of remote: RemoteRow, _ db: Database) throws -> Base {
    var base = Base()
    var sum: Int64 = 0
    var walk = StoredPathWalk()
    try db.run(
      "SELECT path, digest, local, other, checksum FROM agreements WHERE remote = ? ORDER BY path", .integer(remote.id)
    ) { columns in
      try columns.verify(first: 4)
      guard unsafe walk.advance(to: columns.raw(0)) else { throw damage(of: remote) }
      sum &+= Int64(columns.integer(4))
      let digest = try columns.digest(1)
      unsafe walk.path.withUnsafeBytes { path in
        unsafe base.append(path: path, digest: digest, local: columns.raw(2), remote: columns.raw(3))
      }
    }
    guard base.count == remote.count, sum == remote.sum else { throw damage(of: remote) }
    return base
  }

  /// Returns the agreement on one path.
  static func agreement(on path: SyncPath, of remote: RemoteRow, _ db: Database) throws -> Agreement? {
    try db.first(
      "SELECT path, digest, local, other, checksum FROM agreements WHERE remote = ? AND path = ?",
      .integer(remote.id), .path(path)
    ) { columns in
      try columns.verify(first: 4)
      return Agreement(
        path: path, digest: try columns.digest(1), local: Revision(bytes: columns.bytes(2)),
        remote: Revision(bytes: columns.bytes(3)))
    }
  }

  /// Returns the paths whose content was the last one agreed on with a remote other than `name`.
  static func agreed(_ contents: [SyncPath: Digest], elsewhereThan name: String, _ db: Database) throws -> Set<SyncPath>
  {
    var paths: Set<SyncPath> = []
    for other in try RemoteRow.others(than: name, db) {
      for (path, digest) in contents where try row(path, of: other, db)?.digest == digest { paths.insert(path) }
    }
    return paths
  }

  /// Returns the paths whose content the store shared with another remote after the last agreement with this one.
  static func agreed(_ contents: [SyncPath: Digest], after remote: String, _ db: Database) throws -> Set<SyncPath> {
    guard try !LaterVersionTable.isEmpty(of: remote, db), let remote = try RemoteRow.read(remote, db) else { return [] }
    var paths: Set<SyncPath> = []
    for (path, digest) in contents {
      guard let agreement = try row(path, of: remote, db),
        try LaterVersionTable.holds(digest, at: path, after: agreement.checksum, of: remote.name, db)
      else { continue }
      paths.insert(path)
    }
    return paths
  }

  /// Notes for each of the remotes `others` that has another version of a path that the store shared this one later.
  static func noteLater(_ agreement: Agreement, for others: [RemoteRow], _ db: Database) throws {
    for other in others {
      guard let row = try row(agreement.path, of: other, db), row.digest != agreement.digest else { continue }
      try LaterVersionTable.add(
        agreement.digest, at: agreement.path, after: row.checksum, of: other.name, db)
    }
  }

  /// Replaces the agreement on a path and returns the previous digest; nil if nothing had to be written.
  static func write(_ agreement: Agreement, of remote: inout RemoteRow, _ db: Database) throws -> Replaced? {
    let values: [SQLValue] = [
      .path(agreement.path), .digest(agreement.digest), .bytes(agreement.local.bytes), .bytes(agreement.remote.bytes),
    ]
    let checksum = Checksum.of(values)
    let old = try row(agreement.path, of: remote, db)
    guard old?.checksum != checksum else { return nil }
    try db.run(
      "INSERT OR REPLACE INTO agreements VALUES (?, ?, ?, ?, ?, ?)",
      [.integer(remote.id)] + values + [.integer(checksum)])
    remote.count += old == nil ? 1 : 0
    remote.sum &+= checksum &- (old?.checksum ?? 0)
    return Replaced(digest: old?.digest)
  }

  /// Removes the agreement on a path and returns its digest; nil if there was none.
  static func remove(_ path: SyncPath, of remote: inout RemoteRow, _ db: Database) throws -> Replaced? {
    guard let old = try row(path, of: remote, db) else { return nil }
    try db.run("DELETE FROM agreements WHERE remote = ? AND path = ?", .integer(remote.id), .path(path))
    remote.count -= 1
    remote.sum &-= old.checksum
    return Replaced(digest: old.digest)
  }

  static func removeAll(of remote: RemoteRow, _ db: Database) throws {
    try db.run("DELETE FROM agreements WHERE remote = ?", .integer(remote.id))
  }

  /// The agreed digest before a row changed; nil if the row is new.
  struct Replaced {
    var digest: Digest?
  }

  private static func row(
    _ path: SyncPath, of remote: RemoteRow, _ db: Database
  ) throws -> (digest: Digest, checksum: Int64)? {
    try db.first(
      "SELECT digest, checksum FROM agreements WHERE remote = ? AND path = ?", .integer(remote.id), .path(path)
    ) { (try $0.digest(0), Int64($0.integer(1))) }
  }

  private static func damage(of remote: RemoteRow) -> SyncError {
    .damaged("the base of \(remote.name) has the wrong checksum")
  }
}
