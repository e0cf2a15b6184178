internal import GRDB
package import OrgKit
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The entries of the Org files of a folder in a database, for answers without reading the files.
///
/// The database is derived: it can be deleted at any moment. ``refresh(_:now:read:)`` makes it agree with the files; everything
/// that it changes is one transaction, so that other processes and a crash see the former or the new state.
package final class ItemIndex: Sendable {
  private let queue: DatabaseQueue
  private let options: IndexOptions

  /// Opens an index, or creates it. A damaged one is created again.
  ///
  /// - Parameter boot: an identifier of the present start of the machine. After a new start the database is checked, because it
  ///   is written without waiting for the disk.
  package init(at path: String, _ options: IndexOptions, boot: String) throws(IndexFailure) {
    self.options = options
    do {
      do { queue = try Self.open(path, options, boot) } catch let error as DatabaseError where error.meansDamage {
        Self.remove(at: path)
        queue = try Self.open(path, options, boot)
      }
    } catch { throw IndexFailure(error) }
  }

  /// Removes an index.
  package static func remove(at path: String) {
    for file in [path, path + "-journal"] { try? FileManager.default.removeItem(atPath: file) }
  }

  private static func open(_ path: String, _ options: IndexOptions, _ boot: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(30)
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA page_size = 8192; PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;
          PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; PRAGMA trusted_schema = OFF;
          """)
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { db in
      let fits = try IndexSchema.fits(db, options)
      let isChecked = fits ? try IndexSchema.value("boot", db) == boot : true
      if fits, isChecked { return }
      try db.inTransaction(.immediate) {
        if try !IndexSchema.fits(db, options) {
          try IndexSchema.create(db, options)
        } else if try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") != "ok" {
          throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        try IndexSchema.set("boot", boot, db)
        return .commit
      }
    }
    return queue
  }

  /// Makes the index agree with a listing of the files.
  ///
  /// - Parameters:
  ///   - now: returns the present time in nanoseconds since 1970.
  ///   - read: returns a file with the stamp that it had before it was read; nil if it does not exist any more, or cannot be read.
  ///   - isWhole: returns false if a file could not be read: the next refresh tries it again. Called at the end.
  /// - Returns: the number of files that were read.
  @discardableResult
  package func refresh(
    _ listing: FileListing, now: @escaping @Sendable () -> Int64,
    read: @escaping @Sendable (String) -> (FileStamp, [UInt8])?, isWhole: () -> Bool = { true }
  ) throws(IndexFailure) -> Int {
    let summary = listing.summary
    return try access { db in
      let isCurrent = { try IndexSchema.value("listing", db) == summary }
      let known = KnownListing(listing)
      if try isCurrent(), try KnownListing(db) == known { return 0 }
      var count = 0
      try db.inTransaction(.immediate) {
        if try !isCurrent() { count = try IndexRefresh(db, options, now: now, read: read).run(listing) }
        let isWhole = listing.isWhole && isWhole()
        if listing.isCertain, isWhole { try IndexSchema.set("listing", summary, db) }
        try KnownListing.set(isWhole ? known : nil, db)
        return .commit
      }
      return count
    }
  }

  /// The files and folders that the index agrees with; nil if they must be listed.
  package func known() throws(IndexFailure) -> KnownListing? { try access { try KnownListing($0) } }

  private func access<Value>(_ body: (Database) throws -> Value) throws(IndexFailure) -> Value {
    do { return try queue.writeWithoutTransaction(body) } catch { throw IndexFailure(error) }
  }

  /// Calls a function with one state of the index.
  package func read<Value>(_ body: (IndexReader) throws -> Value) throws(IndexFailure) -> Value {
    try access { db in
      var result: Result<Value, any Error>?
      try db.inTransaction(.deferred) {
        result = Result { try body(IndexReader(db)) }
        return .commit
      }
      guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      return try result.get()
    }
  }
}

/// The reason why an index cannot answer; the files can.
package struct IndexFailure: Error, CustomStringConvertible {
  /// The error of a query, which is not one of the index.
  package let query: OrgQueryError?
  /// True if the database must be made again.
  package let isDamage: Bool
  package let description: String

  init(_ error: any Error) {
    (query, description) = (error as? OrgQueryError, "\(error)")
    isDamage = (error as? DatabaseError)?.meansDamage ?? false
  }
}

extension DatabaseError {
  fileprivate var meansDamage: Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR].contains(resultCode)
  }
}

extension FileListing {
  /// A hash of all paths and stamps.
  var summary: Int64 {
    stamps.reduce(Int64(stamps.count)) { sum, file in
      let stamp = file.value
      return [stamp.size, stamp.modified, stamp.changed, stamp.inode].reduce(stableFingerprint(Array(file.key.utf8))) {
        let mixed = ($0 ^ $1) &* 0x1E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
      } &+ sum
    }
  }
}
