/// A program that keeps the files of a tree in a cloud, and the contents of some of them only there.
///
/// Such a file is present, and its content is unknown: it is never read, replaced or removed before the program has fetched it.
package struct CloudProgram: Sendable {
  /// The contents to ask for.
  package enum Fetching: Hashable, Sendable {
    /// Those without which a file cannot be synced.
    case needed
    /// All.
    case all
    /// None.
    case none
  }

  /// The name of the cloud, for messages.
  package var name: String
  /// The contents to ask for.
  package var fetching: Fetching
  /// Asks the program for the content of the file with this absolute path, or for that of the file that a stub stands for, and
  /// does not wait. Returns false if the program does not accept the request.
  package var request: @Sendable (_ file: String) -> Bool
  /// Returns true if the content of the file or folder with this inode is only in the cloud; nil to ask the system.
  package var isElsewhere: (@Sendable (_ inode: UInt64) -> Bool)?

  package init(
    name: String, fetching: Fetching = .needed, request: @escaping @Sendable (_ file: String) -> Bool,
    isElsewhere: (@Sendable (_ inode: UInt64) -> Bool)? = nil
  ) {
    self.name = name
    self.fetching = fetching
    self.request = request
    self.isElsewhere = isElsewhere
  }
}
