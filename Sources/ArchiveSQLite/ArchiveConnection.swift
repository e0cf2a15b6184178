internal import GRDB
import SyncKit

/// A connection to the database of an archive.
struct ArchiveConnection: Sendable {
  let queue: DatabaseQueue
  /// Its entry among the connections of this process; nil for a database in memory.
  private let entry: OpenConnection?

  init(_ queue: DatabaseQueue, counted entry: OpenConnection? = nil) { (self.queue, self.entry) = (queue, entry) }

  /// Runs `body` on the database, serialised with other accesses.
  func turn<Value>(_ body: (Database) throws -> Value) throws(SyncError) -> Value {
    do { return try queue.inDatabase(body) } catch { throw SyncError(archive: error) }
  }

  /// Closes it, after which the database is one file again, unless others have it open.
  func close() throws {
    try queue.close()
    entry?.end()
  }
}
