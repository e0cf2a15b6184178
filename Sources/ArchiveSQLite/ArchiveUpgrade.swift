internal import GRDB
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Migrates an archive to a newer format: on a copy, which replaces the archive once it is verified. The old database is kept
/// beside it.
struct ArchiveUpgrade {
  let folder: ArchiveFolder
  let old: Int
  let format: ArchiveFormat

  private var copy: String { folder.database + ".upgrade" }
  private var former: String { folder.database + ".format-\(old)" }

  /// Carries out the upgrade. `connection` is the connection to the old database; it is closed.
  func carryOut(_ connection: ArchiveConnection) throws(SyncError) {
    do {
      for part in ["", "-wal", "-shm"] { unsafe unlink(copy + part) }
      // SQLite would create the file readable by others; it accepts an empty one.
      _ = try StateFile(copy, O_WRONLY | O_CREAT | O_EXCL)
      try connection.queue.inDatabase { try $0.run("VACUUM INTO ?", .text(copy)) }
      try connection.close()
      try migrate()
      try publish()
    } catch {
      throw SyncError(archive: error)
    }
  }

  private func migrate() throws {
    let connection = try ArchiveConnection.forArchive(at: copy)
    try connection.queue.inDatabase { db in
      try format.migrate(db, from: old)
      try ContentConversion(files: folder.packs).carryOut(db)
      try db.checkQuickly()
    }
    try connection.close()
  }

  private func publish() throws {
    // SQLite would apply the rest of a log to the new database.
    guard !folder.holds(folder.log), !folder.holds(copy + "-wal") else {
      throw SyncError(.locked, "cannot upgrade the archive while another program reads it; try again")
    }
    try ArchiveFailpoint.formatWriting.reach()
    unsafe unlink(former)
    guard unsafe link(folder.database, former) == 0, unsafe rename(copy, folder.database) == 0 else {
      throw SyncError(stateFile: folder.database, errno)
    }
    try StateFile.syncFolder(folder.path)
    try ArchiveFailpoint.formatWritten.reach()
  }
}
