internal import GRDB
import SyncKit

extension ArchiveConnection {
  /// Opens a connection whose commits survive a crash of the machine.
  static func forArchive(at path: String) throws(SyncError) -> ArchiveConnection {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    let entry = OpenConnection(to: path)
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
    do { return ArchiveConnection(try DatabaseQueue(path: path, configuration: configuration), counted: entry) } catch {
      throw SyncError(archive: error)
    }
  }

  /// Opens a connection that leaves no trace; to an empty database if there is none.
  static func forLooking(at folder: ArchiveFolder, as format: ArchiveFormat) throws(SyncError) -> ArchiveConnection {
    let header = try OpenConnection.ifNone(to: folder.database) { () throws(SyncError) in
      try ArchiveHeader(file: folder.database)
    }
    // While this process has a connection, it has checked the header.
    if let header {
      guard let header else { return try empty(as: format) }
      guard try format.admits(header) else { throw .newer(folder.database) }
    }
    let connection = try looking(at: folder)
    let now = try connection.turn { try ArchiveHeader($0) }
    if now.isBlank { return try empty(as: format) }
    guard now.format == format.number else { throw .older(folder.database) }
    return connection
  }

  private static func looking(at folder: ArchiveFolder) throws(SyncError) -> ArchiveConnection {
    // In the process of a writer only an ordinary connection is safe. One without locks would release those of the writer when it
    // is closed (see `OpenConnection`). All connections share one shared-memory file, in the mode of the first one: if it is
    // read-only, the writer can never write.
    if WrittenArchives.contain(folder.database) { return try looking(at: folder.database, "mode=ro") }
    guard folder.holds(folder.log) else { return try looking(at: folder.database, "immutable=1") }
    do throws(SyncError) {
      return try looking(at: folder.database, "readonly_shm=1")
    } catch {
      // The shared-memory file was lost in the machine's last crash: only a new one helps.
      return try looking(at: folder.database, "mode=ro")
    }
  }

  private static func looking(at path: String, _ manner: String) throws(SyncError) -> ArchiveConnection {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let entry = OpenConnection(to: path)
    do {
      let queue = try DatabaseQueue(path: "file:\(escaped(path))?\(manner)", configuration: configuration)
      return ArchiveConnection(queue, counted: entry)
    } catch {
      throw SyncError(archive: error)
    }
  }

  private static func empty(as format: ArchiveFormat) throws(SyncError) -> ArchiveConnection {
    do {
      let queue = try DatabaseQueue()
      try queue.inDatabase { try format.migrate($0, from: 0) }
      return ArchiveConnection(queue)
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
