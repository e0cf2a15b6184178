internal import GRDB
internal import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The database of a store, whose connection is opened when it is first needed and again when another file has the name.
///
/// Other processes read and write the same file; SQLite's locks order their transactions.
final class StoreDatabase: Sendable {
  /// The absolute path of the file.
  let path: String
  private let connection = Mutex<Connection?>(nil)

  /// The use of a connection.
  enum Access: Sendable {
    /// Changes nothing, and leaves no other file.
    case reading
    case writing
  }

  private struct Connection: Sendable {
    var queue: DatabaseQueue
    var file: FileIdentity
    var access: Access
  }

  init(at path: String) { self.path = path }

  /// Runs `body` on the database while no other task of this process uses this connection.
  func turn<Value: Sendable>(
    _ access: Access, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(SyncError) -> Value {
    let queue = try queue(for: access)
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
      queue.asyncWriteWithoutTransaction { db in continuation.resume(returning: Result { try body(db) }) }
    }
    // The turn above keeps the connection until it has ended, a moment after its result. A process that exits before would not
    // close the connection, and SQLite's two other files would stay beside the store.
    queue.inDatabase { _ in }
    do { return try result.get() } catch { throw SyncError(store: path, error) }
  }

  /// The same on the present thread.
  func turnNow<Value>(_ access: Access, _ body: (Database) throws -> Value) throws(SyncError) -> Value {
    let queue = try queue(for: access)
    do { return try queue.inDatabase(body) } catch { throw SyncError(store: path, error) }
  }

  /// Returns true if the file is a store. One whose creation was interrupted is not one yet.
  func exists() throws(SyncError) -> Bool {
    do throws(SyncError) { _ = try queue(for: .reading) } catch {
      guard error.code == .notFound else { throw error }
      return false
    }
    return true
  }

  /// Creates the file with empty tables if it is missing.
  func create() throws(SyncError) {
    if FileIdentity(at: path) == nil { try requireFolder() }
    let queue = try open(.writing, isNew: true)
    do {
      try queue.inDatabase { db in
        // Other processes wait here until the tables exist.
        try db.inTransaction(.immediate) {
          if try !StoreSchema.exists(db) { try StoreSchema.create(db) }
          return .commit
        }
        try StoreSchema.requireOurs(db, path)
      }
    } catch { throw SyncError(store: path, error) }
    try keep(queue, for: .writing)
  }

  /// Closes the connection; the next use opens it again.
  func close() {
    connection.withLock { connection in
      // An error means that a statement is still in use; the connection is closed with its last reference.
      try? connection?.queue.close()
      connection = nil
    }
  }

  /// The file at the path by now; nil if there is none.
  var identity: FileIdentity? { FileIdentity(at: path) }
}

extension StoreDatabase {
  private func queue(for access: Access) throws(SyncError) -> DatabaseQueue {
    guard let file = identity, !file.isEmpty else { throw .missing(path) }
    let open = connection.withLock { $0 }
    if let open, open.file == file, open.access == .writing || access == .reading { return open.queue }
    let queue = try self.open(access, isNew: false)
    do {
      let exists = try queue.inDatabase { db in
        guard try StoreSchema.exists(db) else { return false }
        try StoreSchema.requireOurs(db, path)
        return true
      }
      guard exists else { throw SyncError.missing(path) }
    } catch { throw SyncError(store: path, error) }
    try keep(queue, for: access)
    return queue
  }

  private func keep(_ queue: DatabaseQueue, for access: Access) throws(SyncError) {
    guard let file = identity else { throw .missing(path) }
    connection.withLock { $0 = Connection(queue: queue, file: file, access: access) }
  }

  private func open(_ access: Access, isNew: Bool) throws(SyncError) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(20)
    // With a log, a reader that may write would move it into the file; without one, a reader that may not write would leave one.
    configuration.readonly = access == .reading && FileIdentity(at: path + "-wal") != nil
    let isReader = access == .reading && !configuration.readonly
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
      if isReader { try db.execute(sql: "PRAGMA query_only = ON") }
      guard access == .writing else { return }
      try db.execute(
        sql: """
          PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
          PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 2000
          """)
    }
    do { return try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw SyncError(store: path, error)
    }
  }

  /// Throws if the folder of the file does not exist: creating it could fill the mount point of a missing disk.
  private func requireFolder() throws(SyncError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    guard folder.isEmpty || FileIdentity(at: folder) != nil else {
      throw SyncError(
        .unavailable, "cannot create \(path): the folder above it does not exist. Mount its disk, or create the folder")
    }
  }
}

/// What distinguishes a file from all others of the machine.
struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64
  let isEmpty: Bool

  /// The file at `path`; nil if there is none.
  init?(at path: String) {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    (device, number) = (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(truncatingIfNeeded: facts.st_ino))
    isEmpty = facts.st_size == 0
  }

  /// The identity as text.
  var text: String { "\(String(device, radix: 16)):\(String(number, radix: 16))" }

  static func == (a: FileIdentity, b: FileIdentity) -> Bool { a.device == b.device && a.number == b.number }
}
