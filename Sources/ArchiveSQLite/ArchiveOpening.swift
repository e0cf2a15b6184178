public import SyncKit

/// The result of opening an archive.
public enum ArchiveOpening: Sendable {
  case opened(SQLiteArchive)
  /// The database is older than it once was: all bases were dropped, so that each remote is synced as on the first pass, which
  /// deletes nothing. Contents and history are as in the database.
  case rolledBack(SQLiteArchive)
  /// A newer version wrote the archive. Nothing was changed.
  case newer(SyncError)
  /// The archive is damaged. `SQLiteArchive.setAside` makes room for a new one.
  case damaged(SyncError)

  /// Returns the archive if it was opened; otherwise throws the error.
  public func get() throws(SyncError) -> SQLiteArchive {
    switch self {
    case .opened(let archive), .rolledBack(let archive): return archive
    case .newer(let error), .damaged(let error): throw error
    }
  }
}
