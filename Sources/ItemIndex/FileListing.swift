package import SyncKit

extension FileStamp {
  /// Times have steps: a file that changed shortly before it was read may have changed again without another stamp.
  static let uncertainty: Int64 = 2_000_000_000

  /// Returns true if a file that was read at `time` cannot have changed since with the same stamp.
  package func isCertain(readAt time: Int64) -> Bool { changed &+ Self.uncertainty < time }
}

/// The Org files of a folder with their stamps.
package struct FileListing: Sendable {
  /// The stamps by path.
  package var stamps: [String: FileStamp]
  /// The stamps of the folders that were read, by path; none if they are unknown. The folder itself has an empty path.
  package var folders: [String: FileStamp]
  /// True if no file can change without a change of a folder's stamp.
  package var areFilesCovered: Bool
  /// False if a folder could not be read, so that its files are missing.
  package var isWhole: Bool
  /// The time at which the listing began, in nanoseconds since 1970.
  package var time: Int64

  package init(
    _ stamps: [String: FileStamp], folders: [String: FileStamp] = [:], areFilesCovered: Bool = false,
    isWhole: Bool = true, at time: Int64
  ) {
    (self.stamps, self.folders, self.time) = (stamps, folders, time)
    (self.areFilesCovered, self.isWhole) = (areFilesCovered, isWhole)
  }

  /// True if no file can have changed since with the same stamp.
  var isCertain: Bool { stamps.values.allSatisfy { $0.isCertain(readAt: time) } }
}
