internal import GRDB
internal import SyncKit
import Synchronization

/// A store in one file as a replica. All changes of a batch are one transaction.
struct SQLiteReplica: Replica, StorageDefaults {
  let database: StoreDatabase
  let parts: RemoteParts
  private let copying: Duration
  private let memory = Memory()

  private final class Memory: Sendable {
    /// The id of the store that was listed last; nil before.
    let id = Mutex<String?>(nil)
    /// True if the next listing may remove what former passes left.
    let mayTidy = Mutex(false)
  }

  init(_ database: StoreDatabase, _ parts: RemoteParts, copyingEvery copying: Duration) {
    (self.database, self.parts, self.copying) = (database, parts, copying)
  }

  var address: String { database.path }

  /// The conditions of a transaction hold against every other process.
  func capabilities() -> Capabilities {
    Capabilities(
      replacement: .conditional, parallelism: 1, commitLimit: CommitLimit(count: 4_096, bytes: 16 << 20),
      uploadCheck: .confirmed, notifiesWhenComplete: true)
  }

  // MARK: Identity

  func createRoot() async throws(SyncError) { _ = try await claim() }

  func claim() async throws(SyncError) -> RootIdentity {
    try StoreFailpoint.creating.reach()
    try StoreRecovery.finish(at: address)
    try database.create()
    try StoreFailpoint.created.reach()
    let id = try await database.turn(.writing) { db in try StoreMeta.id(db) }
    memory.id.withLock { $0 = id }
    return RootIdentity(address: address, id: id)
  }

  /// Checks the file if it was not checked since this machine started, on another day or as another file; then removes what a crash
  /// left, and copies the file when it is time. Costs a lookup if there is nothing to do.
  func recover() async throws(SyncError) {
    try StoreRecovery.finish(at: address)
    guard try database.exists() else { return }
    try await StoreCheck(database, now: parts.runtime.now()).runIfDue()
    try await removeLeftovers()
    try await StoreCopy(of: database, every: copying, now: parts.runtime.now()).makeIfDue()
    memory.mayTidy.withLock { $0 = true }
  }

  private func removeLeftovers() async throws(SyncError) {
    let staged = try await database.turn(.reading) { db in try Int64.fetchAll(db, sql: "SELECT content FROM staged") }
    guard !staged.isEmpty else { return }
    try await database.turn(.writing) { db in
      try db.inTransaction(.immediate) {
        for content in try Int64.fetchAll(db, sql: "SELECT content FROM staged") {
          try PartTable.remove(content, db)
          try db.execute(sql: "DELETE FROM staged WHERE content = ?", arguments: [content])
        }
        return .commit
      }
    }
    try StoreFailpoint.leftoversRemoved.reach()
  }

  // MARK: Files

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let address = address
    let listed = try await database.turn(.reading) { db in
      var listed: (snapshot: Snapshot, id: String, isUntidy: Bool)?
      try db.inTransaction(.deferred) {
        let (id, counter) = (try StoreMeta.id(db), try StoreMeta.counter(db))
        var builder = SnapshotBuilder(since: known)
        var folders = FolderFilter(known.filter)
        try FileTable.list(db) { path, proof, size, modified in
          guard folders.accepts(path) else { return }
          builder.add(path: path, revision: proof, isFirm: true, size: size, modified: modified)
        }
        let cursor = StoreCursor(id: id, counter: counter)
        var snapshot = builder.finish(
          root: RootIdentity(address: address, id: id),
          wentBackwards: known.cursor.flatMap { StoreCursor($0) }?.isLater(than: cursor) ?? false, cursor: cursor.value)
        snapshot.written = try EvidenceTable.written(of: known, db)
        listed = (snapshot, id, try EvidenceTable.hasUseless(known, db))
        return .commit
      }
      return listed
    }
    guard let listed else { throw SyncError(.unexpected, "the listing of \(address) was not finished") }
    memory.id.withLock { $0 = listed.id }
    if listed.isUntidy, takeTidying() { try await tidy(known) }
    return listed.snapshot
  }

  private func takeTidying() -> Bool {
    memory.mayTidy.withLock { mayTidy in
      defer { mayTidy = false }
      return mayTidy
    }
  }

  private func tidy(_ known: Known) async throws(SyncError) {
    try await database.turn(.writing) { db in
      try db.inTransaction(.immediate) {
        try EvidenceTable.removeUseless(known, db)
        return .commit
      }
    }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try requireFile()
    return try await database.turn(.reading) { [self] db in
      try requireKnown(db)
      return try paths.map { path in
        do { return try FileTable.find(path, db).map { .present($0.entry) } ?? .absent } catch let error as SyncError {
          return .unknown(error.message)
        }
      }
    }
  }

  /// In a store that was never there, nothing is missing: the first pass creates it.
  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    if memory.id.withLock({ $0 == nil }), try !database.exists() { return paths.map { _ in .absent } }
    try requireFile()
    return try await StoreReading(database, sink, check: requireKnown).run(paths)
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    try requireFile()
    try await database.turn(.writing) { [self] db in try requireKnown(db) }
    let staged = try await stage(changes)
    guard !Task.isCancelled else { throw SyncError(.cancelled, "the pass was stopped") }
    try StoreFailpoint.committing.reach()
    let results = try await database.turn(.writing) { [self] db in
      var results: [WriteResult] = []
      try db.inTransaction(.immediate) {
        try requireKnown(db)
        var commit = try StoreCommit(db, at: parts.runtime.now())
        results = try commit.run(changes, staged)
        try StoreFailpoint.changed.reach()
        return .commit
      }
      return results
    }
    try StoreFailpoint.committed.reach()
    return results
  }

  /// Reads the new contents. What happens to one file is its result.
  private func stage(_ changes: [Change]) async throws(SyncError) -> [Int: Result<StagedContent, SyncError>] {
    var staged: [Int: Result<StagedContent, SyncError>] = [:]
    for (index, change) in changes.enumerated() {
      guard let content = change.content else { continue }
      do throws(SyncError) {
        staged[index] = .success(try await StagedContent(content, at: change.path, in: database))
      } catch {
        guard error.reach != .pass else { throw error }
        staged[index] = .failure(error)
      }
    }
    return staged
  }

  /// Throws if the file does not exist. Only a listing may say so in a way that lets a first pass create it.
  private func requireFile() throws(SyncError) {
    guard try database.exists() else { throw SyncError(.wrongReplica, SyncError.missing(address).message) }
  }

  /// Throws if another store has the name by now: every file would seem to be deleted.
  @Sendable private func requireKnown(_ db: Database) throws {
    guard let known = memory.id.withLock({ $0 }), try StoreMeta.id(db) != known else { return }
    throw SyncError(.wrongReplica, "\(address) was replaced by another store during the pass")
  }

  // MARK: Others

  func changes() -> AsyncStream<Void> { StoreWatch(path: address, runtime: parts.runtime).changes() }

  func diagnose() async throws(SyncError) -> [Finding] { try await StoreDiagnosis(database).run() }
}

/// The point of a store's history at which it was listed.
struct StoreCursor: Equatable {
  let id: String
  let counter: Int64

  init(id: String, counter: Int64) { (self.id, self.counter) = (id, counter) }

  init?(_ cursor: SyncKit.Cursor) {
    let parts = String(decoding: cursor.bytes, as: UTF8.self).split(separator: " ")
    guard parts.count == 2, let counter = Int64(parts[1]) else { return nil }
    self.init(id: String(parts[0]), counter: counter)
  }

  var value: SyncKit.Cursor { SyncKit.Cursor(bytes: Array("\(id) \(counter)".utf8)) }

  /// Returns true if the same store has gone backwards since, as after the restore of a backup.
  func isLater(than other: StoreCursor) -> Bool { id == other.id && counter > other.counter }
}

/// A filter for paths in folder order, which looks at each folder once.
struct FolderFilter {
  private let filter: PathFilter
  /// The folders of the last path, from the root down, with the length of their paths.
  private var folders: [(end: Int, isAccepted: Bool)] = []
  private var last: [UInt8] = []

  init(_ filter: PathFilter) { self.filter = filter }

  /// Returns true if the file at `path` is synced.
  mutating func accepts(_ path: [UInt8]) -> Bool {
    enter(folderOf: path)
    return folders.last?.isAccepted != false && filter.accepts(file: path)
  }

  private mutating func enter(folderOf path: [UInt8]) {
    while let folder = folders.last, !isInside(path, folder.end) { folders.removeLast() }
    var start = folders.last.map { $0.end + 1 } ?? 0
    while let slash = path[start...].firstIndex(of: StoredPath.separator) {
      let isAccepted = folders.last?.isAccepted != false && filter.accepts(folder: Array(path[..<slash]))
      folders.append((slash, isAccepted))
      start = slash + 1
    }
    last = path
  }

  private func isInside(_ path: [UInt8], _ end: Int) -> Bool {
    path.count > end && path[end] == StoredPath.separator && path[..<end] == last[..<end]
  }
}
