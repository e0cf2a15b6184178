internal import GRDB
import SyncKit

/// The versions of each path that the store shared with another remote after its last agreement with this one.
///
/// They are in the journal under a name of their own, because older programs ignore that. Each record has the checksum of the
/// agreement that it follows: once that was replaced, also by such a program, the record says nothing.
enum LaterVersionTable {
  /// The number of versions that are remembered for one path, and of bytes of each digest. A whole digest would keep its content
  /// in the history.
  private static let (limit, length) = (16, 16)

  /// Adds a version after an agreement of a remote.
  static func add(
    _ digest: Digest, at path: SyncPath, after agreement: Int64, of remote: String, _ db: Database
  ) throws {
    let name = mark(of: digest)
    let others = try marks(at: path, after: agreement, of: remote, db).filter { $0 != name }
    let value = bytes(of: agreement) + (others.suffix(limit - 1) + [name]).joined()
    try ArchiveJournal.write(value, at: key(of: path), of: journal(of: remote), db)
  }

  /// Returns true if a version followed an agreement of a remote.
  static func holds(
    _ digest: Digest, at path: SyncPath, after agreement: Int64, of remote: String, _ db: Database
  ) throws -> Bool {
    try marks(at: path, after: agreement, of: remote, db).contains(mark(of: digest))
  }

  /// Returns true if a remote has no record.
  static func isEmpty(of remote: String, _ db: Database) throws -> Bool {
    try db.first("SELECT 1 FROM journal WHERE remote = ? LIMIT 1", .text(journal(of: remote))) { _ in true } == nil
  }

  static func remove(_ path: SyncPath, of remote: String, _ db: Database) throws {
    try ArchiveJournal.write(nil, at: key(of: path), of: journal(of: remote), db)
  }

  static func removeAll(of remote: String, _ db: Database) throws {
    try db.run("DELETE FROM journal WHERE remote = ?", .text(journal(of: remote)))
  }

  private static func marks(
    at path: SyncPath, after agreement: Int64, of remote: String, _ db: Database
  ) throws -> [ArraySlice<UInt8>] {
    guard let record = try ArchiveJournal.record(at: key(of: path), of: journal(of: remote), db),
      record.starts(with: bytes(of: agreement))
    else { return [] }
    return stride(from: 8, to: record.count, by: length).map { record[$0..<min($0 + length, record.count)] }
  }

  private static func journal(of remote: String) -> String { remote + "/engine.later" }

  private static func key(of path: SyncPath) -> String { Digest(of: path.bytes).description }

  private static func mark(of digest: Digest) -> ArraySlice<UInt8> { digest.bytes.prefix(length) }

  private static func bytes(of checksum: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * Int64($0))) }
  }
}
