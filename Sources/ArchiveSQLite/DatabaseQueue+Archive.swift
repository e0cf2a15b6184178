internal import GRDB
import SyncKit

extension DatabaseQueue {
  /// Opens a connection whose commits survive a crash of the machine.
  static func forArchive(at path: String) throws(SyncError) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA page_size = 16384;
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA cell_size_check = ON;
          PRAGMA trusted_schema = OFF;
          PRAGMA temp_store = MEMORY;
          PRAGMA journal_size_limit = 16777216;
          """)
    }
    do { return try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw SyncError(archive: error)
    }
  }

  /// Opens a connection that leaves no trace; to an empty database if there is none.
  static func forLooking(at folder: ArchiveFolder, as format: ArchiveFormat) throws(SyncError) -> DatabaseQueue {
    guard let header = try ArchiveHeader(file: folder.database) else { return try empty(as: format) }
    guard try format.admits(header) else { throw .newer(folder.database) }
    let queue = try looking(at: folder)
    let now = try queue.turn { try ArchiveHeader($0) }
    if now.isBlank { return try empty(as: format) }
    guard now.format == format.number else { throw .older(folder.database) }
    return queue
  }

  private static func looking(at folder: ArchiveFolder) throws(SyncError) -> DatabaseQueue {
    guard folder.holds(folder.log) else { return try looking(at: folder.database, "immutable=1") }
    // All connections of a process share one shared-memory file, in the mode of the first one: if it is read-only, a connection
    // that this process opens for writing meanwhile can never write.
    if WrittenArchives.contain(folder.database) { return try looking(at: folder.database, "mode=ro") }
    do throws(SyncError) {
      return try looking(at: folder.database, "readonly_shm=1")
    } catch {
      // The shared-memory file was lost in the machine's last crash: only a new one helps.
      return try looking(at: folder.database, "mode=ro")
    }
  }

  private static func looking(at path: String, _ manner: String) throws(SyncError) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    do {
      return try DatabaseQueue(path: "file:\(escaped(path))?\(manner)", configuration: configuration)
    } catch {
      throw SyncError(archive: error)
    }
  }

  private static func empty(as format: ArchiveFormat) throws(SyncError) -> DatabaseQueue {
    do {
      let queue = try DatabaseQueue()
      try queue.inDatabase { try format.migrate($0, from: 0) }
      return queue
    } catch {
      throw SyncError(archive: error)
    }
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber || "/-._~".contains(character))
      return isPlain ? String(character) : "%" + String(UInt16(byte) + 256, radix: 16).suffix(2)
    }.joined()
  }

  /// Runs `body` on the database, serialised with other accesses.
  func turn<Value>(_ body: (Database) throws -> Value) throws(SyncError) -> Value {
    do { return try inDatabase(body) } catch { throw SyncError(archive: error) }
  }
}

extension Database {
  /// Runs `body` as one transaction, which is durable after this returns.
  func transaction<Value>(_ kind: TransactionKind, _ body: () throws -> Value) throws -> Value {
    try beginTransaction(kind)
    do {
      let value = try body()
      try commit()
      return value
    } catch {
      // A failed commit is already rolled back, and the original error is the one to report.
      if isInsideTransaction { try? rollback() }
      throw error
    }
  }

  /// Checks the structure of the whole database, but not the content of its records.
  func checkQuickly() throws {
    let findings = try all("PRAGMA quick_check(1)") { $0.text(0) }
    guard findings == ["ok"] else { throw SyncError.damaged(findings.first ?? "cannot check its structure") }
  }
}
