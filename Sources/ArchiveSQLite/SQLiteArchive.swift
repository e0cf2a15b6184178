public import SyncKit

internal import class GRDB.Database

/// The archive in a folder of its own: one SQLite database, and compressed contents beside it, small ones in pack files and large
/// ones in files of their own.
///
/// It assumes that no other process writes, which `InstanceLock` ensures. Others may read at the same time.
public struct SQLiteArchive: Archive {
  let database: ArchiveDatabase
  let contents: HeldContents
  private let run: CurrentRun
  private let order: SharedRecordOrder
  let folder: ArchiveFolder
  let packing: Packing

  init(database: ArchiveDatabase, folder: ArchiveFolder, packing: Packing, run: Run) {
    self.database = database
    self.contents = HeldContents(database: database, files: folder.files, packs: packing.reader)
    self.folder = folder
    self.packing = packing
    self.run = CurrentRun(run)
    order = SharedRecordOrder()
  }

  private init(_ archive: SQLiteArchive, run: Run) {
    (database, folder, packing, contents) = (archive.database, archive.folder, archive.packing, archive.contents)
    order = archive.order
    self.run = CurrentRun(run)
  }

  /// Begins the next run, unless the last one has written nothing. Opening an archive also begins one.
  public func beginRun() async throws(SyncError) {
    try await database.read { [run, now = database.now] db in run.begin(try Run.next(at: now(), db)) }
  }

  /// Returns the same archive with a run of its own, so that what one part of the program records does not join what others
  /// record at the same time. The run of this archive continues with a higher number. Only one such run may be open at a time.
  public func withOwnRun() async throws(SyncError) -> SQLiteArchive {
    let own = try await database.read { [run, now = database.now] db in
      let own = try Run.next(at: now(), db)
      run.makeRoom(for: own)
      return own
    }
    return SQLiteArchive(self, run: own)
  }

  /// Writes what is pending and closes the database, which is one file afterwards. An archive that was not closed is checked
  /// more thoroughly when it is opened again.
  public func close() async throws(SyncError) {
    do throws(SyncError) { try await flush() } catch {
      try database.close()
      throw error
    }
    try database.close()
  }
}

extension SQLiteArchive {
  public func content(_ digest: Digest) async throws(SyncError) -> Content? { try await contents.content(digest) }

  public func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content] {
    try await contents.contents(digests)
  }

  public func intake(keepingAtMost limit: Int) -> any ContentSink { ArchiveSink(contents: contents, limit: limit) }

  public func flush() async throws(SyncError) { try await contents.flush() }

  public func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> { try await contents.held(digests) }

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

  public func journal(of remote: String) -> any Journal { ArchiveJournal(remote: remote, database: database) }

  public func memory(of remote: String) async throws(SyncError) -> RemoteMemory {
    // Before the memory is read: a record in between counts as made during the pass.
    let recordCount = order.count
    var memory = try await database.read { [now = database.now] db in try RemoteMemory(of: remote, at: now(), db) }
    memory.recordCount = recordCount
    return memory
  }

  /// The number of the current run. The first write reserves it; until then the next run has the same number.
  public func passNumber() async throws(SyncError) -> Int { run.value.number }

  public func keep(_ versions: [Version]) async throws(SyncError) {
    guard !versions.isEmpty else { return }
    try await write(versions) { _ in }
  }

  public func prepare(_ batch: IntendedBatch) async throws(SyncError) {
    try await write(batch.displaced) { db in
      try IntendedChangeTable.insert(batch.changes, of: batch.remote, batch: batch.number, db)
    }
  }

  public func update(_ batch: IntendedBatch) async throws(SyncError) {
    try await write([]) { db in
      try IntendedChangeTable.writeSides(of: batch.changes, of: batch.remote, batch: batch.number, db)
    }
  }

  /// Writes versions that are about to be replaced, and runs `body`, in one transaction.
  private func write(
    _ versions: [Version], _ body: @escaping @Sendable (Database) throws -> Void
  ) async throws(SyncError) {
    try await database.write(between: .versionsWriting, and: .versionsWritten) {
      [run, now = database.now] db in
      let run = run.value
      try body(db)
      guard !versions.isEmpty else { return }
      let stamp = try Stamp(run: run, time: now(), db)
      try run.begin(age: stamp.age, db)
      for version in versions { try VersionTable.keep(version, stamp, db) }
    }
  }

  public func record(_ record: Record) async throws(SyncError) {
    guard !record.isEmpty || record.deletions > 0 else { return }
    let newGeneration = try await database.writeUrgently(between: .recordWriting, and: .recordWritten) {
      [run, order, now = database.now] db in
      var writer = try RecordWriter(record, Stamp(run: run.value, time: now(), db), order, db)
      let generation = try writer.write()
      order.add(record)
      return generation
    }
    if let newGeneration { folder.generation.write(newGeneration) }
  }
}

extension SQLiteArchive {
  /// Records the result of the run for one remote, unless the run has written nothing: such a run leaves no trace.
  public func record(_ result: RemoteResult) async throws(SyncError) {
    let run = run.value
    guard try await database.read({ db in try run.hasBegun(db) }) else { return }
    try await database.write(between: .recordWriting, and: .recordWritten) { db in
      try PassTable.record(result, in: run, db)
    }
  }

  /// Approves exactly the held deletions with this ID, once; never deletions that join later. Returns the remotes that hold
  /// them. Throws if the ID is unknown or outdated.
  ///
  /// - Parameter part: the deletions to approve; the others stay held. Nil approves all.
  @discardableResult
  public func allow(_ id: String, only part: Set<HeldItem>? = nil) async throws(SyncError) -> [String] {
    try await database.write(between: .approvalWriting, and: .approvalWritten) {
      [now = database.now] db in
      let remotes = try HoldTable.remotes(holding: id, db)
      guard !remotes.isEmpty else {
        throw SyncError(.notFound, "nothing is held under the ID \(printable(id.utf8))", remedy: .reviewHolds)
      }
      for remote in remotes { try HoldTable.approve(part, of: remote, at: now(), db) }
      return remotes
    }
  }
}
