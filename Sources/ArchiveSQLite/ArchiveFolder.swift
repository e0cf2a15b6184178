package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The files in an archive's folder.
package struct ArchiveFolder: Sendable {
  let path: String

  package init(path: String) { self.path = path }

  package var database: String { "\(path)/archive.sqlite" }
  /// The write-ahead log. It exists while the database is open, and after a crash.
  var log: String { "\(database)-wal" }
  var files: ContentFiles { ContentFiles(folder: "\(path)/contents") }
  var packs: PackFiles { PackFiles(folder: "\(path)/contents") }
  var generation: GenerationFile { GenerationFile(path: "\(path)/generation") }
  var reserve: Reserve { Reserve(path: "\(path)/reserve") }

  /// The databases of older formats, which upgrades have left.
  func formerDatabases() throws(SyncError) -> [String] {
    try StateFile.names(in: path).filter { $0.hasPrefix("archive.sqlite.format-") }.map { "\(path)/\($0)" }
  }

  /// The size of the database with its log, and of all contents, in bytes.
  func size() throws(SyncError) -> Int {
    let databases = [database, log].reduce(0) { $0 + (StateFile.facts($1)?.size ?? 0) }
    return try databases + files.storedSize()
  }

  /// Throws if the database is there and cannot be opened for reading.
  package func refuseUnreadable() throws(SyncError) {
    _ = try OpenConnection.ifNone(to: database) { () throws(SyncError) in try StateFile(ifPresent: database) }
  }

  func holds(_ file: String) -> Bool { unsafe access(file, F_OK) == 0 }

  /// Renames the database and its contents, so that their names are free. Removes nothing. Returns the database's new name.
  func setAside(at now: Timestamp) throws(SyncError) -> String {
    let suffix = ".damaged-\(now.compact)"
    // The log goes first: a database without its log is merely older, but a log would be applied to the next database.
    for part in ["-wal", "-shm", ""] { try move(database + part, to: database + suffix + part) }
    try move(files.folder, to: files.folder + suffix)
    try StateFile.syncFolder(path)
    return database + suffix
  }

  private func move(_ old: String, to new: String) throws(SyncError) {
    guard unsafe rename(old, new) != 0, errno != ENOENT else { return }
    throw SyncError(stateFile: old, errno)
  }
}

extension Timestamp {
  /// The time in UTC as `YYYYMMDDTHHMMSSZ`, for file names.
  fileprivate var compact: String { CivilTime(self).description.filter { $0 != "-" && $0 != ":" } }
}
