import ArchiveSQLite
public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder with the program's state: its archive, its lock and the status of remotes.
public struct StateFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String

  /// The folder at `path`, which need not exist and is not accessed.
  public init(path: String) { self.path = path }

  /// Creates the folder, and the folders above it, if they are missing. Only their owner can read them.
  public func create() throws(SyncError) {
    do throws(SyncError) {
      try Self.create(path)
      try refuseOtherWriters(to: StateFile(path, O_RDONLY | O_DIRECTORY))
      try refuseUnreadableArchive()
    } catch { throw unusable(error) }
  }

  /// Throws `.invalidSettings` if the folder or its archive is there and cannot be read: syncd would take it for a folder in which
  /// nothing was saved yet.
  func refuseUnreadable() throws(SyncError) {
    do throws(SyncError) {
      _ = try StateFile(ifPresent: path, O_RDONLY | O_DIRECTORY)
      try refuseUnreadableArchive()
    } catch { throw unusable(error) }
  }

  private func refuseUnreadableArchive() throws(SyncError) {
    try ArchiveFolder(path: path).refuseUnreadable()
  }

  /// Returns the error for a folder that cannot be used, and says what to do. A full disk is another matter.
  private func unusable(_ error: SyncError) -> SyncError {
    SyncError(
      error.code == .noSpace ? .noSpace : .invalidSettings,
      "cannot use the state folder: \(error.message); check its permissions, or set `state` in the settings to another folder"
    )
  }

  /// Throws if another user can write to the folder: they could add files and links that the program would follow.
  private func refuseOtherWriters(to folder: StateFile) throws(SyncError) {
    var facts = stat()
    guard unsafe fstat(folder.descriptor, &facts) == 0 else { throw SyncError(stateFile: path, errno) }
    guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
      throw SyncError(.invalidSettings, "\(path) belongs to another user")
    }
    guard facts.st_mode & 0o022 == 0 else {
      throw SyncError(.invalidSettings, "other users can write to \(path); run `chmod go-w \(path)`")
    }
  }

  private static func create(_ path: String) throws(SyncError) {
    guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    let parent = StateFile.folder(of: path)
    guard errno == ENOENT, parent != path else { throw SyncError(stateFile: path, errno) }
    try create(parent)
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SyncError(stateFile: path, errno) }
    try StateFile.syncFolder(parent)
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The cache folder of one remote, for files that can be fetched again.
  func cache(of remote: String) -> String { "\(path)/cache/\(remote)" }

  /// The folder of one remote for data that exists nowhere else.
  func data(of remote: String) -> String { "\(path)/data/\(remote)" }
}
