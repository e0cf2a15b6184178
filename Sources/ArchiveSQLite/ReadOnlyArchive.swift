public import SyncKit

/// An archive that is opened for reading only, for example for a dry run. Nothing on the disk changes, even if a service uses
/// the archive at the same time; a read while a service starts may have to be repeated. Writes are discarded, except for
/// contents, some of which stay in memory so that a dry run can merge them.
public struct ReadOnlyArchive: Archive {
  let database: ArchiveDatabase
  private let contents: HeldContents
  private let isRolledBack: Bool
  private let run: Run

  /// The number of bytes of contents that stay in memory.
  private static let room = 64 << 20

  /// Opens the archive in `folder`; if there is none, reads an empty one.
  public init(in folder: String, now: @escaping @Sendable () -> Timestamp = Runtime.real.now) throws(SyncError) {
    try self.init(ArchiveFolder(path: folder), as: .current, now: now)
  }

  /// The same with any format, so that tests can check upgrades.
  package init(
    _ folder: ArchiveFolder, as format: ArchiveFormat, now: @escaping @Sendable () -> Timestamp
  ) throws(SyncError) {
    let connection = try ArchiveConnection.forLooking(at: folder, as: format)
    let noted = folder.generation.read() ?? 0
    (run, isRolledBack) = try connection.turn { db in
      (try Run.next(at: now(), db), try ArchiveRow.read(db).generation < noted)
    }
    database = ArchiveDatabase(connection, now: now)
    contents = HeldContents(database: database, files: folder.files, packs: PackReader(folder.packs))
  }

  /// The history in this archive, and the items that need a person's decision.
  public var history: History { History(database: database) }

  public func memory(of remote: String) async throws(SyncError) -> RemoteMemory {
    let isRolledBack = isRolledBack
    return try await database.read { [now = database.now] db in
      // The next opening for writing will drop the base; a dry run must show what that pass will do.
      let memory = try RemoteMemory(of: remote, at: now(), db)
      guard isRolledBack else { return memory }
      return RemoteMemory(
        generation: memory.generation, deletedToday: memory.deletedToday, conflicts: memory.conflicts)
    }
  }

  public func intendedPaths() async throws(SyncError) -> Set<SyncPath> {
    try await database.read { db in try IntendedChangeTable.paths(db) }
  }

  public func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath> {
    try await database.read { db in try AgreementTable.agreed(contents, elsewhereThan: remote, db) }
  }

  public func agreedLater(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath> {
    try await database.read { db in try AgreementTable.agreed(contents, after: remote, db) }
  }

  public func agreedVersions(of path: SyncPath, atMost count: Int) async throws(SyncError) -> [Digest] {
    try await database.read { db in try VersionTable.agreed(of: path, atMost: count, db) }
  }

  public func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool {
    try await database.read { db in try VersionTable.holds(digest, of: path, db) }
  }

  public func journal(of remote: String) -> any Journal {
    ReadOnlyJournal(journal: ArchiveJournal(remote: remote, database: database))
  }

  public func passNumber() async throws(SyncError) -> Int { run.number }

  public func keep(_ versions: [Version]) async throws(SyncError) {}

  public func prepare(_ batch: IntendedBatch) async throws(SyncError) {}

  public func update(_ batch: IntendedBatch) async throws(SyncError) {}

  public func record(_ record: Record) async throws(SyncError) {}

  public func flush() async throws(SyncError) {}

  public func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> { try await contents.held(digests) }

  public func content(_ digest: Digest) async throws(SyncError) -> Content? { try await contents.content(digest) }

  public func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content] {
    try await contents.contents(digests)
  }

  public func intake(keepingAtMost limit: Int) -> any ContentSink {
    HashingSink(pending: database.pending, limit: limit, room: Self.room)
  }
}

/// A journal that discards writes.
private struct ReadOnlyJournal: Journal {
  let journal: ArchiveJournal

  func records() async throws(SyncError) -> [String: [UInt8]] { try await journal.records() }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {}
}
