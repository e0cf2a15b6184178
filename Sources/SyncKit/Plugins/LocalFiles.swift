/// The files of a store as programs of this machine read them beside a running pass and without the archive: for commands about
/// entries, the hub and alerts.
///
/// A call blocks its thread for one access to a local disk, and several threads may call at once. Paths are texts, because entries
/// are named by them.
public protocol LocalFiles: Sendable {
  /// The absolute path that stands before the path of a file where Org writes it in full, such as the folder of the store.
  var root: String { get }

  /// Lists the Org files, without hidden ones, and without those in folders with a dot in their names.
  func list() throws(SyncError) -> StoreListing

  /// Calls `body` with a function that returns the present stamp of a file or folder of a listing, or nil if there is none. All
  /// stamps are of about one time. Returns nil without a call if the store does not exist.
  func look<Value>(_ body: ((String) -> FileStamp?) -> Value) -> Value?

  /// Returns a file with the stamp that it had before it was read; nil if it does not exist, or is not a regular file. Throws
  /// `.pathFailed` or `.suspect` if it exists and cannot be read.
  func read(_ path: String) throws(SyncError) -> (stamp: FileStamp, bytes: [UInt8])?

  /// Returns the owner of an editor's lock on a file with unsaved changes; nil if there is none. Default: nil.
  func editorLock(on path: SyncPath) -> String?

  /// Appends text to a file, or creates it with that, as an editor beside a running pass: it replaces no version of another
  /// writer. Throws `.changedMeanwhile` if other programs keep changing the file.
  ///
  /// - Parameter text: returns the text to append to the present content, which is empty for a new file.
  func append(_ text: (_ present: [UInt8]) -> [UInt8], to path: SyncPath) throws(SyncError)
}

extension LocalFiles {
  public func editorLock(on path: SyncPath) -> String? { nil }
}

/// What a listing says of a file. A file with another stamp may have another content.
public struct FileStamp: Sendable, Hashable {
  /// The size in bytes.
  public var size: Int64
  /// The time of the last change of the content, in nanoseconds since 1970.
  public var modified: Int64
  /// The time of the last change of content or attributes, in nanoseconds since 1970; 0 if each change gives another `inode`.
  public var changed: Int64
  /// The number of the file in its file system.
  public var inode: Int64

  /// Creates a stamp.
  public init(size: Int64, modified: Int64, changed: Int64, inode: Int64) {
    (self.size, self.modified, self.changed, self.inode) = (size, modified, changed, inode)
  }
}

/// The Org files of a store with their stamps.
public struct StoreListing: Sendable {
  /// The stamps of the files by path.
  public var stamps: [String: FileStamp] = [:]
  /// The stamps of the folders, as they were before they were read, by path; the store itself has an empty path.
  public var folders: [String: FileStamp] = [:]
  /// True if no file can change without a change of a folder's stamp, so that the files need not be looked at.
  public var areFilesCovered = false
  /// The folders that exist and could not be read, by path, with the reasons; the files in them are missing here.
  public var unread: [String: String] = [:]
  /// The time at which the listing began, in nanoseconds since 1970.
  public var time: Int64

  /// Creates a listing without files.
  public init(at time: Int64) { self.time = time }
}
