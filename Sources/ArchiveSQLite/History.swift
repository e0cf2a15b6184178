public import SyncKit

internal import class GRDB.Database

/// The history in an archive, and the items that need a person's decision.
public struct History: Sendable {
  let database: ArchiveDatabase

  /// Returns the newest passes that did something (to `path`, if given), newest first, at most `limit` of them; only those that
  /// began between `since` and `until`, both inclusive.
  public func passes(
    touching path: SyncPath? = nil, since: Timestamp? = nil, until: Timestamp? = nil, atMost limit: Int = .max
  ) async throws(SyncError) -> [PassRecord] {
    try await database.read { db in
      try PassTable.passes(touching: path, since: since, until: until, atMost: limit, db)
    }
  }

  /// Returns the number of the last pass that began at `time` or earlier; nil if the history has none.
  public func lastPass(at time: Timestamp) async throws(SyncError) -> Int? {
    try await database.read { db in try PassTable.last(at: time, db) }
  }

  /// Returns the files that were deleted (at `since` or later, if given) and did not reappear, latest deletion first.
  public func deletedFiles(since: Timestamp? = nil) async throws(SyncError) -> [DeletedFile] {
    try await database.read { db in try VersionTable.deleted(since: since, db) }
  }

  /// Returns one pass; nil if it did nothing or was pruned.
  public func pass(_ number: Int) async throws(SyncError) -> PassRecord? {
    try await database.read { db in try PassTable.pass(number, touching: nil, db) }
  }

  /// Returns the state of `path` after pass `number`.
  public func state(of path: SyncPath, afterPass number: Int) async throws(SyncError) -> FormerState {
    try await database.read { db in try VersionTable.state(of: path, afterPass: number, db) }
  }

  /// Returns the files that exist now, or existed, as far as the history records them.
  public func paths() async throws(SyncError) -> Set<SyncPath> {
    try await database.read { db in try VersionTable.paths(db) }
  }

  /// Returns the previous versions of `path`, newest first.
  public func versions(of path: SyncPath) async throws(SyncError) -> [DisplacedVersion] {
    try await database.read { db in try VersionTable.versions(of: path, db) }
  }

  /// Returns the last decision for `path` with each remote.
  public func decisions(on path: SyncPath) async throws(SyncError) -> [Decision] {
    try await database.read { db in
      try Self.remotes(db).compactMap { try Decision(on: path, with: $0, db) }
    }
  }

  /// Returns the open conflicts.
  public func conflicts() async throws(SyncError) -> [WaitingConflict] {
    try await database.read { db in try ConflictTable.waiting(db) }
  }

  /// Returns the held deletions that need approval.
  public func holds() async throws(SyncError) -> [WaitingHold] {
    try await database.read { db in
      try HoldTable.remotes(db).compactMap { remote in
        try HoldTable.hold(of: remote, db).map { WaitingHold(remote: remote, hold: $0.hold, since: $0.since) }
      }
    }
  }

  /// Returns the approved deletions that have not been made yet.
  public func approvals() async throws(SyncError) -> [Approval] {
    try await database.read { db in
      try HoldTable.approvedRemotes(db).map { Approval(remote: $0, items: try HoldTable.approved(of: $0, db)) }
    }
  }

  /// Returns the record with this key in the journal of `remote`; nil if there is none.
  public func record(_ key: String, of remote: String) async throws(SyncError) -> [UInt8]? {
    try await database.read { db in try ArchiveJournal.record(at: key, of: remote, db) }
  }

  /// Returns the size of the archive.
  public func facts() async throws(SyncError) -> ArchiveFacts {
    try await database.read { db in
      // An archive that does not exist yet is in memory and has no path.
      let path = try db.first("PRAGMA database_list") { $0.text(2) } ?? ""
      let stored = try path.isEmpty ? 0 : ArchiveFolder(path: StateFile.folder(of: path)).size()
      let remotes = try Self.remotes(db).compactMap { try RemoteRow.read($0, db) }
      let contents = try ContentTable.total(db)
      return ArchiveFacts(
        agreements: Dictionary(remotes.map { ($0.name, $0.count) }, uniquingKeysWith: { $1 }),
        contents: contents.count, bytes: contents.bytes, stored: stored, versions: try VersionTable.count(db),
        lastPass: try PassTable.last(db))
    }
  }

  private static func remotes(_ db: Database) throws -> [String] {
    try db.all("SELECT name FROM remotes ORDER BY name") { $0.text(0) }
  }
}

extension Decision {
  /// Reads the last decision for `path` with one remote; nil if there is none.
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
  /// The history in this archive, and the items that need a person's decision.
  public var history: History { History(database: database) }
}
