internal import GRDB
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files and folders of a listing that the index agrees with. As long as all of them have the same stamps, the files are the
/// same, so that no folder has to be read.
package struct KnownListing: Sendable, Equatable {
  /// The paths, with a NUL between them.
  private let paths: String
  /// The stamps as bytes, in the order of the paths.
  private let stamps: [UInt8]

  /// The folders and files of a listing; nil if one of them may have changed since with the same stamp, or if the folders are
  /// unknown.
  init?(_ listing: FileListing) {
    guard !listing.folders.isEmpty, listing.isCertain,
      listing.folders.values.allSatisfy({ $0.isCertain(readAt: listing.time) })
    else { return nil }
    let files = listing.areFilesCovered ? [] : listing.stamps.sorted { $0.key < $1.key }
    let all = listing.folders.sorted { $0.key < $1.key } + files
    paths = all.map(\.key).joined(separator: "\0")
    stamps = [UInt8](numbers: all.flatMap { [$0.value.size, $0.value.modified, $0.value.changed, $0.value.inode] })
  }

  /// Returns true if each file and folder has the stamp that `stamp` returns for its path; the listed folder itself has an empty
  /// path.
  package func agrees(_ stamp: (String) -> FileStamp?) -> Bool {
    let (paths, numbers) = (paths.utf8.split(separator: 0, omittingEmptySubsequences: false), stamps.numbers)
    guard numbers.count == 4 * paths.count else { return false }
    return paths.indices.allSatisfy { place in
      let known = FileStamp(
        size: numbers[4 * place], modified: numbers[4 * place + 1], changed: numbers[4 * place + 2],
        inode: numbers[4 * place + 3])
      return stamp(String(Substring(paths[place]))) == known
    }
  }
}

extension KnownListing {
  /// The listing that an index was last made to agree with; nil if there was a later one that is uncertain.
  init?(_ db: Database) throws {
    guard let paths: Data = try IndexSchema.value("knownPaths", db),
      let stamps: Data = try IndexSchema.value("knownStamps", db)
    else { return nil }
    (self.paths, self.stamps) = (String(decoding: paths, as: UTF8.self), [UInt8](stamps))
  }

  /// Writes the listing; nil removes it.
  static func set(_ listing: KnownListing?, _ db: Database) throws {
    guard let listing else {
      return try db.execute(sql: "DELETE FROM meta WHERE name IN ('knownPaths', 'knownStamps')")
    }
    // SQLite ends a text at a NUL.
    try IndexSchema.set("knownPaths", Data(listing.paths.utf8), db)
    try IndexSchema.set("knownStamps", listing.stamps.data, db)
  }
}
