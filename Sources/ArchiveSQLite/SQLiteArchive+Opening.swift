internal import GRDB
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SQLiteArchive {
  /// Opens the archive in the existing `folder`, or creates an empty one. Throws errors that do not concern the state of the
  /// archive, such as missing permissions.
  public static func open(
    in folder: String, now: @escaping @Sendable () -> Timestamp = Runtime.real.now
  ) throws(SyncError) -> ArchiveOpening {
    try open(ArchiveFolder(path: folder), as: .current, now: now)
  }

  /// Moves a damaged archive in `folder` aside, so that the next opening creates an empty one; removes nothing. Returns the new
  /// path of the database.
  public static func setAside(
    in folder: String, now: Timestamp = Runtime.real.now()
  ) throws(SyncError) -> String {
    try ArchiveFolder(path: folder).setAside(at: now)
  }

  /// The same with any format, so that tests can check upgrades.
  package static func open(
    _ folder: ArchiveFolder, as format: ArchiveFormat, now: @escaping @Sendable () -> Timestamp
  ) throws(SyncError) -> ArchiveOpening {
    do throws(SyncError) {
      guard let connection = try connect(to: folder, as: format) else { return .newer(.newer(folder.database)) }
      return try begin(connection, in: folder, now: now)
    } catch {
      if error.code == .damagedState { return .damaged(error) }
      throw error
    }
  }

  /// Returns a connection to an intact database in the wanted format, or nil if its format is newer.
  private static func connect(
    to folder: ArchiveFolder, as format: ArchiveFormat
  ) throws(SyncError) -> ArchiveConnection? {
    // While this process has a connection, the file exists, and its header is checked below.
    let isAdmitted = try OpenConnection.ifNone(to: folder.database) { () throws(SyncError) in
      if let header = try ArchiveHeader(file: folder.database), try !format.admits(header) { return false }
      // SQLite would create the file readable by others, and gives its other files the same mode.
      _ = try StateFile(folder.database, O_RDWR | O_CREAT)
      return true
    }
    guard isAdmitted ?? true else { return nil }
    WrittenArchives.add(folder.database)
    let wasInterrupted = folder.holds(folder.log)
    let connection = try connect(to: folder)
    let header = try connection.turn { db in
      if wasInterrupted { try db.checkQuickly() }
      return try ArchiveHeader(db)
    }
    guard try format.admits(header) else { return nil }
    // The writer of these files is gone: only one instance at a time opens an archive for writing.
    if wasInterrupted { try folder.files.removeTemporaries(before: Timestamp(nanoseconds: .max)) }
    if header.format == format.number { return connection }
    return try upgrade(connection, of: folder, from: header.format, to: format)
  }

  // Even opening needs some space, and on a full disk an operation may have to be finished.
  private static func connect(to folder: ArchiveFolder) throws(SyncError) -> ArchiveConnection {
    do throws(SyncError) {
      return try ArchiveConnection.forArchive(at: folder.database)
    } catch {
      guard error.code == .noSpace, folder.reserve.release() else { throw error }
      return try ArchiveConnection.forArchive(at: folder.database)
    }
  }

  private static func upgrade(
    _ connection: ArchiveConnection, of folder: ArchiveFolder, from old: Int, to format: ArchiveFormat
  ) throws(SyncError) -> ArchiveConnection {
    if old == 0 {
      try connection.turn { try format.migrate($0, from: 0) }
      return connection
    }
    try ArchiveUpgrade(folder: folder, old: old, format: format).carryOut(connection)
    return try ArchiveConnection.forArchive(at: folder.database)
  }

  private static func begin(
    _ connection: ArchiveConnection, in folder: ArchiveFolder, now: @escaping @Sendable () -> Timestamp
  ) throws(SyncError) -> ArchiveOpening {
    let noted = folder.generation.read() ?? 0
    let (run, isBehind) = try connection.turn { db in
      try BlockTable.requireWhole(folder.packs, db)
      let isBehind = try ArchiveRow.read(db).generation < noted
      if isBehind { try dropBases(after: noted, db) }
      return (try Run.next(at: now(), db), isBehind)
    }
    folder.reserve.take()
    let packing = Packing(writer: PackWriter(folder.packs), reader: PackReader(folder.packs))
    let archive = SQLiteArchive(
      database: ArchiveDatabase(connection, packing: packing, reserve: folder.reserve, now: now), folder: folder,
      packing: packing, run: run)
    return isBehind ? .rolledBack(archive) : .opened(archive)
  }

  private static func dropBases(after generation: Int, _ db: Database) throws {
    try ArchiveFailpoint.recordWriting.reach()
    try db.transaction(.immediate) {
      for name in try db.all("SELECT name FROM remotes", value: { $0.text(0) }) {
        guard var remote = try RemoteRow.read(name, db) else { continue }
        try remote.startAgain(db)
        try remote.write(db)
      }
      var archive = try ArchiveRow.read(db)
      archive.generation = generation
      try archive.write(db)
    }
    try ArchiveFailpoint.recordWritten.reach()
  }
}
