internal import GRDB
import SyncKit

extension SyncError {
  /// The archive contains something that this program did not write; `what` describes it.
  static func damaged(_ what: String) -> SyncError {
    SyncError(.damagedState, "the archive is damaged: \(what)")
  }

  /// A newer version wrote the database.
  static func newer(_ database: String) -> SyncError {
    SyncError(
      .otherVersion,
      "\(printable(database.utf8)) was written by a newer syncd; nothing was changed. Install that version again")
  }

  /// An older version wrote the database, which is opened for reading only.
  static func older(_ database: String) -> SyncError {
    SyncError(
      .otherVersion, "\(printable(database.utf8)) was written by an older syncd; the next pass upgrades it",
      remedy: .sync(remote: nil))
  }

  /// Translates an error of the database.
  init(archive error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as DatabaseError: self.init(database: error)
    default: self.init(.unexpected, "the archive failed: \(error)")
    }
  }

  private init(database error: DatabaseError) {
    let meaning = Self.meaning(of: error)
    self.init(
      meaning.code, meaning.message, cause: "\(error.extendedResultCode) \(error)", remedy: meaning.remedy)
  }

  private static func meaning(of error: DatabaseError) -> SyncError {
    let message = error.message ?? "no reason given"
    switch error.extendedResultCode {
    case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
      return SyncError(.noSpace, "cannot write the archive: no space left on its disk")
    // SQLite reports PROTOCOL after it has tried to begin a transaction for ten seconds.
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
      return SyncError(.locked, "another program has locked the archive's database")
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      return SyncError(.unexpected, "cannot open the archive's database for writing: \(message)")
    // All our statements fit our own tables, so an error in one means that the tables are not ours.
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_SCHEMA:
      return .damaged(message)
    default:
      return SyncError(
        .unexpected, "the archive's database failed: \(message) (\(error.extendedResultCode)); check its disk")
    }
  }
}
