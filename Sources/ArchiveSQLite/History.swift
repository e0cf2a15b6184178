public import SyncKit

internal import class GRDB.Database

/// What an archive can tell about the past, and about what waits for a person.
public struct History: Sendable {
  let database: ArchiveDatabase

  /// The newest passes that did something (to `path`, if one is given), newest first, at most `limit` of them; only those that
  /// began at `since` or later and at `until` or earlier.
  public func passes(
    touching path: SyncPath? = nil, since: Timestamp? = nil, until: Timestamp? = nil, atMost limit: Int = .max
  ) async throws(SyncError) -> [PassRecord] {
    try await database.read { db in
      try PassTable.passes(touching: path, since: since, until: until, atMost: limit, db)
    }
  }

  /// The number of the last pass that began at `time` or earlier; nil if the history has none.
  public func lastPass(at time: Timestamp) async throws(SyncError) -> Int? {
    try await database.read { db in try PassTable.last(at: time, db) }
  }

  /// The files that were deleted (at `since` or later, if given) and did not come back, the last one first.
  public func deletedFiles(since: Timestamp? = nil) async throws(SyncError) -> [DeletedFile] {
    try await database.read { db in try VersionTable.deleted(since: since, db) }
  }

  /// One pass, or nil if it did nothing, or is too long ago.
  public func pass(_ number: Int) async throws(SyncError) -> PassRecord? {
    try await database.read { db in try PassTable.pass(number, touching: nil, db) }
  }

  /// What was at `path` after pass `number`.
  public func state(of path: SyncPath, afterPass number: Int) async throws(SyncError) -> FormerState {
    try await database.read { db in try VersionTable.state(of: path, afterPass: number, db) }
  }

  /// The previous versions of `path` in the history, the last one first.
  public func versions(of path: SyncPath) async throws(SyncError) -> [DisplacedVersion] {
    try await database.read { db in try VersionTable.versions(of: path, db) }
  }

  /// What was last decided for `path`, by remote.
  public func decisions(on path: SyncPath) async throws(SyncError) -> [Decision] {
    try await database.read { db in
      try Self.remotes(db).compactMap { try Decision(on: path, with: $0, db) }
    }
  }

  /// The open conflicts.
  public func conflicts() async throws(SyncError) -> [WaitingConflict] {
    try await database.read { db in try ConflictTable.waiting(db) }
  }

  /// The deletions that wait for a person.
  public func holds() async throws(SyncError) -> [WaitingHold] {
    try await database.read { db in
      try HoldTable.remotes(db).compactMap { remote in
        try HoldTable.hold(of: remote, db).map { WaitingHold(remote: remote, hold: $0.hold, since: $0.since) }
      }
    }
  }

  /// What a person has allowed and has not happened yet.
  public func approvals() async throws(SyncError) -> [Approval] {
    try await database.read { db in
      try HoldTable.approvedRemotes(db).map { Approval(remote: $0, items: try HoldTable.approved(of: $0, db)) }
    }
  }

  /// The record with this key in the journal of `remote`; nil if there is none.
  public func record(_ key: String, of remote: String) async throws(SyncError) -> [UInt8]? {
    try await database.read { db in try ArchiveJournal.record(at: key, of: remote, db) }
  }

  /// How large the archive is.
  public func facts() async throws(SyncError) -> ArchiveFacts {
    try await database.read { db in
      let remotes = try Self.remotes(db).compactMap { try RemoteRow.read($0, db) }
      let contents = try ContentTable.total(db)
      return ArchiveFacts(
        agreements: Dictionary(remotes.map { ($0.name, $0.count) }, uniquingKeysWith: { $1 }),
        contents: contents.count, bytes: contents.bytes, lastPass: try PassTable.last(db))
    }
  }

  private static func remotes(_ db: Database) throws -> [String] {
    try db.all("SELECT name FROM remotes ORDER BY name") { $0.text(0) }
  }
}

extension Decision {
  /// What there is to say of `path` with one remote; nil if nothing.
  fileprivate init?(on path: SyncPath, with remote: String, _ db: Database) throws {
    guard let row = try RemoteRow.read(remote, db) else { return nil }
    let last = try ActionTable.last(on: path, of: remote, db)
    let agreement = try AgreementTable.agreement(on: path, of: row, db)
    guard last != nil || agreement != nil else { return nil }
    self.init(
      remote: remote, agreement: agreement, action: last?.action, pass: last?.pass, time: last?.started)
  }
}

extension SQLiteArchive {
  /// What the archive can tell about the past, and about what waits for a person.
  public var history: History { History(database: database) }
}
