import SyncKit

internal import class GRDB.Database

/// Finds versions and contents that are no longer needed, and removes them.
///
/// Age is measured by the archive's own clock; see `ArchiveClock`.
struct Pruning {
  /// The minimum time for which versions are kept.
  let history: Duration
  /// Returns true if the last common content of a path, with its size, is worth keeping.
  let needsBase: (SyncPath, Int) -> Bool
  let db: Database
  private let age: Int
  private var contents = OldContents()

  /// Seven days are guaranteed regardless of the setting, plus one in case the clock was wrong once.
  private static let floor = 8 * ArchiveClock.day
  /// The number of versions of a path that are kept regardless of age.
  private static let versions = 3
  /// The number of passes that are kept regardless of age.
  private static let passes = 100

  init(
    history: Duration, at now: Timestamp, needsBase: @escaping (SyncPath, Int) -> Bool, _ db: Database
  ) throws {
    self.history = history
    self.needsBase = needsBase
    self.db = db
    age = try ArchiveRow.age(at: now, db)
  }

  /// Returns true if the last search for unused contents is at least a day from `now`, in either direction.
  static func isDue(at now: Timestamp, _ db: Database) throws -> Bool {
    let (step, overflow) = now.nanoseconds.subtractingReportingOverflow(try ArchiveRow.read(db).pruned.nanoseconds)
    return overflow || abs(step) >= ArchiveClock.day
  }

  /// Removes everything that is not needed, and returns the contents whose files can be removed.
  mutating func carryOut(at now: Timestamp) throws -> [Digest] {
    // Entries missing from a damaged index would look unused.
    try db.checkQuickly()
    contents = try OldContents(until: age - Self.floor, db)
    try pruneVersions()
    try prunePasses()
    try needConflicts()
    try needBases()
    try needJournals()
    var row = try ArchiveRow.read(db)
    row.pruned = now
    try row.write(db)
    return try pruneContents()
  }

  private var limit: Int { age - max(Self.floor, Int(clamping: history)) }

  private mutating func pruneVersions() throws {
    var path: [UInt8] = []
    var newest: Set<Digest> = []
    var expired: [VersionKey] = []
    try db.run(
      """
      SELECT path, digest, pass, remote, side, displaced, age, checksum FROM versions
      ORDER BY path, pass DESC, age DESC, displaced DESC
      """
    ) { columns in
      try columns.verify(first: 7)
      let key = try VersionKey(columns)
      if key.path != path { (path, newest) = (key.path, []) }
      if newest.count < Self.versions { newest.insert(key.digest) }
      if newest.contains(key.digest) || columns.integer(6) > limit {
        contents.need(key.digest)
      } else {
        expired.append(key)
      }
    }
    for key in expired { try key.delete(db) }
  }

  private func prunePasses() throws {
    let last = try db.first(
      """
      SELECT ifnull(max(number), 0) FROM passes
      WHERE number <= (SELECT max(number) - ? FROM passes) AND age <= ?
      """, .integer(Self.passes), .integer(limit)
    ) { $0.integer(0) }
    try db.run("DELETE FROM passes WHERE number <= ?", .integer(last ?? 0))
    for table in ["results", "actions", "timeline"] {
      try db.run("DELETE FROM \(table) WHERE pass <= ?", .integer(last ?? 0))
    }
  }

  private mutating func needConflicts() throws {
    for conflict in try ConflictTable.waiting(db).map(\.conflict) {
      for case .some(let digest) in [conflict.base, conflict.local, conflict.remote, conflict.marked] {
        contents.need(digest)
      }
    }
  }

  private mutating func needBases() throws {
    try db.run(
      """
      SELECT path, agreements.digest, size FROM agreements JOIN contents ON contents.digest = agreements.digest
      """
    ) { columns in
      if needsBase(try columns.path(0), columns.integer(2)) { contents.need(try columns.digest(1)) }
    }
  }

  /// Only the owner of a journal can decode its records, but a digest can be recognised in any of them.
  private mutating func needJournals() throws {
    try db.run("SELECT value FROM journal") { columns in
      for digest in Digest.mentioned(in: columns.bytes(0)) { contents.need(digest) }
    }
  }

  private func pruneContents() throws -> [Digest] {
    var files: [Digest] = []
    for digest in contents.expired {
      let isFile = try db.first("SELECT bytes IS NULL FROM contents WHERE digest = ?", .digest(digest)) {
        $0.integer(0) != 0
      }
      if isFile == true { files.append(digest) }
      try db.run("DELETE FROM contents WHERE digest = ?", .digest(digest))
    }
    return files
  }
}

/// The key of a row of the versions table.
private struct VersionKey {
  var path: [UInt8]
  var digest: Digest
  var pass: Int
  var remote: String
  var side: String

  init(_ columns: Columns) throws {
    path = columns.bytes(0)
    digest = try columns.digest(1)
    pass = columns.integer(2)
    remote = columns.text(3)
    side = columns.text(4)
  }

  func delete(_ db: Database) throws {
    try db.run(
      "DELETE FROM versions WHERE path = ? AND digest = ? AND pass = ? AND remote = ? AND side = ?",
      .bytes(path), .digest(digest), .integer(pass), .text(remote), .text(side))
  }
}

extension Int {
  /// The duration in nanoseconds, clamped to the representable range.
  fileprivate init(clamping duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    self = overflow || product > .max / 2 ? .max / 2 : product + Int(attoseconds / 1_000_000_000)
  }
}
