/// What a listing says of a file. A file with another stamp may have another content.
package struct FileStamp: Sendable, Hashable {
  package var size: Int64
  /// The time of the last change of the content, in nanoseconds since 1970.
  package var modified: Int64
  /// The time of the last change of content or attributes, in nanoseconds since 1970.
  package var changed: Int64
  package var inode: Int64

  package init(size: Int64, modified: Int64, changed: Int64, inode: Int64) {
    (self.size, self.modified, self.changed, self.inode) = (size, modified, changed, inode)
  }

  /// Times have steps: a file that changed shortly before it was read may have changed again without another stamp.
  static let uncertainty: Int64 = 2_000_000_000

  /// Returns true if a file that was read at `time` cannot have changed since with the same stamp.
  func isCertain(readAt time: Int64) -> Bool { changed &+ Self.uncertainty < time }
}

/// The Org files of a folder with their stamps.
package struct FileListing: Sendable {
  /// The stamps by path.
  package var stamps: [String: FileStamp]
  /// The stamps of the folders that were read, by path; none if they are unknown. The folder itself has an empty path.
  package var folders: [String: FileStamp]
  /// The time at which the listing began, in nanoseconds since 1970.
  package var time: Int64

  package init(_ stamps: [String: FileStamp], folders: [String: FileStamp] = [:], at time: Int64) {
    (self.stamps, self.folders, self.time) = (stamps, folders, time)
  }

  /// True if no file can have changed since with the same stamp.
  var isCertain: Bool { stamps.values.allSatisfy { $0.isCertain(readAt: time) } }
}
