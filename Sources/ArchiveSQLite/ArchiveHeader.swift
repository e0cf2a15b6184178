internal import GRDB
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The application id and format number of a database file.
struct ArchiveHeader: Equatable {
  var application: Int
  var format: Int

  /// Reads the header from the file's first bytes, because opening it as a database would leave traces. Returns nil if the file
  /// is missing or empty.
  init?(file path: String) throws(SyncError) {
    guard let file = try StateFile(ifPresent: path) else { return nil }
    let bytes = try file.read(atMost: 100)
    if bytes.isEmpty { return nil }
    guard bytes.count == 100, bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw .damaged("\(printable(path.utf8)) is not a database")
    }
    // The layout is fixed: https://www.sqlite.org/fileformat.html#the_database_header
    self.init(application: Self.number(bytes[68..<72]), format: Self.number(bytes[60..<64]))
  }

  /// Reads the header of the open database, including what its log contains.
  init(_ db: Database) throws {
    application = try db.first("PRAGMA application_id") { $0.integer(0) } ?? 0
    format = try db.first("PRAGMA user_version") { $0.integer(0) } ?? 0
  }

  private init(application: Int, format: Int) {
    self.application = application
    self.format = format
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// True if nothing has been written yet.
  var isBlank: Bool { application == 0 && format == 0 }
}
