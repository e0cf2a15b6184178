internal import GRDB
import SyncKit

/// The only connection to an archive's database; reads and writes are serialised.
///
/// An access that has begun is finished even if its task is cancelled, because half a record is useless.
struct ArchiveDatabase: Sendable {
  private let connection: ArchiveConnection
  private var queue: DatabaseQueue { connection.queue }
  private let reserve: Reserve?
  /// What packs the pending contents; nil for an archive that is only read.
  private let packing: Packing?
  let now: @Sendable () -> Timestamp
  /// Contents that are not recorded yet; each transaction includes them.
  let pending = PendingContents()

  init(
    _ connection: ArchiveConnection, packing: Packing? = nil, reserve: Reserve? = nil,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.connection = connection
    self.packing = packing
    self.reserve = reserve
    self.now = now
  }

  /// Runs `body` on one snapshot of the database.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(SyncError) -> Value {
    try await turn { db in try db.transaction(.deferred) { try body(db) } }
  }

  /// Runs `body` as one transaction, together with the pending contents. The transaction is durable when `afterwards` is
  /// called, before any other access.
  func write<Value: Sendable>(
    between before: ArchiveFailpoint, and after: ArchiveFailpoint,
    _ body: @escaping @Sendable (Database) throws -> Value,
    afterwards: @escaping @Sendable (Value) -> Void = { _ in }
  ) async throws(SyncError) -> Value {
    try await transaction(between: before, and: after, takesPending: true, body, afterwards)
  }

  /// The same for a write without which a running operation could not be finished: on a full disk it uses the reserve, and then
  /// leaves the pending contents out.
  func writeUrgently<Value: Sendable>(
    between before: ArchiveFailpoint, and after: ArchiveFailpoint,
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(SyncError) -> Value {
    do {
      return try await write(between: before, and: after, body)
    } catch {
      guard error.code == .noSpace, let reserve, reserve.release() else { throw error }
      return try await transaction(between: before, and: after, takesPending: false, body, { _ in })
    }
  }

  /// Starts to pack the pending contents without waiting for the result. If that fails they stay pending, and the next
  /// transaction reports the error.
  func startPacking() {
    guard pending.beginWriting() else { return }
    queue.asyncWriteWithoutTransaction { [self] db in
      defer { pending.endWriting() }
      try? pack(db)
    }
  }

  /// Packs the pending contents, which frees their memory.
  func pack() async throws(SyncError) { try await turn { [self] db in try pack(db) } }

  private func pack(_ db: Database) throws {
    try packing?.pack(pending, db)
    guard pending.areMany else { return }
    try transaction(db, between: .contentsWriting, and: .contentsWritten, takesPending: true, { _ in }, { _ in })
  }

  /// Rewrites the database so that its files contain nothing but its present rows. Throws `.locked` if another program reads it.
  func compact() async throws(SyncError) {
    let isDone = try await turn { db in
      // Free space inside of pages is overwritten, too.
      try db.execute(sql: "PRAGMA secure_delete = ON")
      try db.execute(sql: "VACUUM")
      return try db.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) == 0 } ?? false
    }
    guard isDone else {
      throw SyncError(.locked, "another program reads the archive; run a command again when it has ended")
    }
    try await turn { _ in try ArchiveFailpoint.compacted.reach() }
  }

  /// Closes the connection, after which the database is one file again.
  func close() throws(SyncError) {
    do { try connection.close() } catch { throw SyncError(archive: error) }
  }

  private func transaction<Value: Sendable>(
    between before: ArchiveFailpoint, and after: ArchiveFailpoint,
    takesPending: Bool, _ body: @escaping @Sendable (Database) throws -> Value,
    _ afterwards: @escaping @Sendable (Value) -> Void
  ) async throws(SyncError) -> Value {
    try await turn { [self] db in
      try transaction(db, between: before, and: after, takesPending: takesPending, body, afterwards)
    }
  }

  private func transaction<Value>(
    _ db: Database, between before: ArchiveFailpoint, and after: ArchiveFailpoint, takesPending: Bool,
    _ body: (Database) throws -> Value, _ afterwards: (Value) -> Void
  ) throws -> Value {
    try before.reach()
    // The packs are durable before a row points into them.
    let contents = try takesPending ? packing?.ready(pending, db) ?? [:] : [:]
    let value = try db.transaction(.immediate) {
      try ContentTable.insert(contents, at: now(), into: db)
      return try body(db)
    }
    pending.remove(contents.keys)
    afterwards(value)
    try after.reach()
    return value
  }

  private func turn<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(SyncError) -> Value {
    let result: Result<Value, SyncError> = await withCheckedContinuation { continuation in
      queue.asyncWriteWithoutTransaction { db in
        continuation.resume(returning: Result { try body(db) }.flatMapError { .failure(SyncError(archive: $0)) })
      }
    }
    return try result.get()
  }
}
