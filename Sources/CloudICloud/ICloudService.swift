internal import FileTree
internal import SyncKit

/// iCloud on a machine. Everything that only a Mac can do is behind this value, so that the remaining code runs everywhere.
struct ICloudService: Sendable {
  /// The absolute path of iCloud Drive.
  var drive: String
  /// Returns true if a user is signed in to iCloud.
  var isSignedIn: @Sendable () -> Bool
  /// See `CloudProgram`.
  var request: @Sendable (_ file: String) -> Bool
  /// See `CloudProgram`.
  var isElsewhere: (@Sendable (_ inode: UInt64) -> Bool)?
  /// The versions that lost a conflict in iCloud.
  var conflicts: any ConflictVersions

  /// The program that keeps a tree in iCloud.
  func program(_ fetching: ICloudDrive.Fetching) -> CloudProgram {
    let contents: CloudProgram.Fetching =
      switch fetching {
      case .fetch: .needed
      case .fetchAll: .all
      case .leave: .none
      }
    return CloudProgram(name: "iCloud Drive", fetching: contents, request: request, isElsewhere: isElsewhere)
  }
}

/// The versions of files that lost a conflict in iCloud, which keeps them beside the winning one until they are resolved.
protocol ConflictVersions: Sendable {
  /// Returns the paths of the files below `root`, an absolute path, that have such versions.
  func paths(below root: String) -> [SyncPath]

  /// Returns the versions of the file with this absolute path, oldest first.
  func versions(of file: String) -> [ConflictVersion]
}

/// A version that lost a conflict.
struct ConflictVersion: Sendable {
  /// The name of the computer that saved it.
  var computer: String
  var modified: Timestamp?
  /// Returns the content; nil if it is not on this machine yet.
  var content: @Sendable () throws(SyncError) -> [UInt8]?
  /// Marks the version as resolved. iCloud then drops it.
  var resolve: @Sendable () throws(SyncError) -> Void
}
