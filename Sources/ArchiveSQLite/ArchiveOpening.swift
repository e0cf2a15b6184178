public import SyncKit

/// How opening an archive ended.
public enum ArchiveOpening: Sendable {
  case opened(SQLiteArchive)
  /// The database is older than it once was: all bases were dropped, so that every remote is met as if for the first
  /// time, which deletes nothing. Contents and history are as the database has them.
  case rolledBack(SQLiteArchive)
  /// It was written by a newer program. Nothing was touched.
  case newer(SyncError)
  /// It cannot be relied on. `SQLiteArchive.setAside` makes room for another one.
  case damaged(SyncError)

  /// The archive, if it was opened; else throws the error.
  public func get() throws(SyncError) -> SQLiteArchive {
    switch self {
    case .opened(let archive), .rolledBack(let archive): return archive
    case .newer(let error), .damaged(let error): throw error
    }
  }
}
