internal import GRDB
internal import SyncKit

extension SyncError {
  /// The store's file does not exist, or nothing has been written to it yet.
  static func missing(_ path: String) -> SyncError {
    SyncError(.notFound, "the file \(path) does not exist; mount its disk, or change `path` in [store]")
  }

  /// The file is damaged as a database.
  static func damaged(_ path: String, _ reason: String) -> SyncError {
    SyncError(
      .wrongReplica, "the store \(path) is damaged (\(reason)); nothing was changed", remedy: .repairStore)
  }

  /// The content of one file is damaged.
  ///
  /// - Parameter found: the digest of the bytes that are there instead; nil if some are missing.
  static func damagedContent(of path: SyncPath, found: Digest?) -> SyncError {
    var error = SyncError(
      .suspect, "the content of \(path) is damaged in the store; put a version there again, or remove the file",
      remedy: .restore(path))
    error.found = found
    return error
  }

  /// Translates an error of the database at `path`.
  init(store path: String, _ error: any Error) {
    switch error {
    case let error as SyncError: self = error
    case let error as DatabaseError: self = Self.meaning(of: error, path)
    default: self.init(.unexpected, "the store \(path) failed: \(error)")
    }
  }

  private static func meaning(of error: DatabaseError, _ path: String) -> SyncError {
    let message = error.message ?? "no reason given"
    let cause = "\(error.extendedResultCode) \(error)"
    switch error.resultCode {
    case .SQLITE_FULL:
      return SyncError(.noSpace, "cannot write the store \(path): no space left on its disk", cause: cause)
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
      return SyncError(.unavailable, "another program has locked the store \(path); try again", cause: cause)
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      return SyncError(
        .unavailable, "cannot open the store \(path): \(message); check the permissions of the file and its folder",
        cause: cause)
    // All statements fit the tables of this module, so an error in one means that they are damaged.
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_SCHEMA:
      return damaged(path, message)
    default:
      return SyncError(
        .unavailable, "the store \(path) failed: \(message) (\(error.extendedResultCode)); check its disk", cause: cause
      )
    }
  }
}
