import SyncKit

internal import class GRDB.Database

/// Finds versions and contents that are no longer needed.
///
/// Age is measured by the archive's own clock; see `ArchiveClock`.
struct Pruning {
  private let retention: Retention
  /// Returns true if the last common content of a path, with its size, is worth keeping.
  private let needsBase: (SyncPath, Int) -> Bool
  private let db: Database
  private let age: Int
  private var contents: OldContents
  private var kept = KeptVersions()
  private var expired = ExpiredHistory()

  /// The number of passes that are kept regardless of age.
  private static let passes = 100

  private init(
    _ retention: Retention, at now: Timestamp, needsBase: @escaping (SyncPath, Int) -> Bool, _ db: Database
  ) throws {
    self.retention = retention
    self.needsBase = needsBase
    self.db = db
    var clock = try ArchiveRow.read(db).clock
    clock.look(at: now)
    age = clock.age
    contents = try OldContents(until: age - Retention.floor, db)
  }

  /// Returns true if the last search for unused contents is at least a day from `now`, in either direction.
  static func isDue(at now: Timestamp, _ db: Database) throws -> Bool {
    let (step, overflow) = now.nanoseconds.subtractingReportingOverflow(try ArchiveRow.read(db).pruned.nanoseconds)
    return overflow || abs(step) >= ArchiveClock.day
  }

  /// Returns everything that is not needed. Changes nothing.
  static func find(
    _ retention: Retention, at now: Timestamp, needsBase: @escaping (SyncPath, Int) -> Bool, _ db: Database
  ) throws -> ExpiredHistory {
    // Entries missing from a damaged index would look unused.
    try db.checkQuickly()
    var pruning = try Pruning(retention, at: now, needsBase: needsBase, db)
    try pruning.findVersions()
    try pruning.findPasses()
    try pruning.needConflicts()
    try pruning.needHolds()
    try pruning.needBases()
    try pruning.needMentioned()
    try pruning.needFormers()
    try pruning.findContents()
    return pruning.expired
  }

  private mutating func findVersions() throws {
    let lastPass = try PassTable.last(db)
    var keys: [VersionKey] = []
    var versions: [RetainedVersion] = []
    try db.run(
      """
      SELECT path, versions.digest, pass, remote, side, displaced, versions.age, checksum, size
      FROM versions LEFT JOIN contents ON contents.digest = versions.digest
      ORDER BY path, pass DESC, versions.age DESC, displaced DESC
      """
    ) { columns in
      try columns.verify(first: 7)
      let key = try VersionKey(columns)
      if key.path != keys.last?.path {
        decide(keys, versions, lastPass: lastPass)
        (keys, versions) = ([], [])
      }
      keys.append(key)
      versions.append(RetainedVersion(digest: key.digest, pass: key.pass, age: columns.integer(6)))
    }
    decide(keys, versions, lastPass: lastPass)
    if let limit = retention.bytes { expired.versions += kept.removeOldest(exceeding: limit) }
    for digest in kept.digests { contents.need(digest) }
  }

  private mutating func decide(_ keys: [VersionKey], _ versions: [RetainedVersion], lastPass: Int) {
    let decisions = retention.decide(versions, at: age, lastPass: lastPass)
    for (key, (version, decision)) in zip(keys, zip(versions, decisions)) {
      switch decision {
      case .expired: expired.versions.append(key)
      case .kept where retention.bytes != nil: kept.add(key, age: version.age)
      case .kept, .protected: kept.add(key.digest, size: key.size)
      }
    }
  }

  private mutating func findPasses() throws {
    let limit = age - max(Retention.floor, retention.nanoseconds)
    expired.lastPass =
      try db.first(
        """
        SELECT ifnull(max(number), 0) FROM passes
        WHERE number <= (SELECT max(number) - ? FROM passes) AND age <= ?
        """, .integer(Self.passes), .integer(limit)
      ) { $0.integer(0) } ?? 0
  }

  private mutating func needConflicts() throws {
    for conflict in try ConflictTable.waiting(db).map(\.conflict) {
      for case .some(let digest) in [conflict.base, conflict.local, conflict.remote, conflict.marked] {
        contents.need(digest)
      }
    }
  }

  private mutating func needHolds() throws {
    try db.run("SELECT digest FROM held UNION SELECT digest FROM approved") { contents.need(try $0.digest(0)) }
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

  /// Only the owner of a journal can decode its records, but a digest can be recognised in any of them, as in the changes of an
  /// interrupted pass.
  private mutating func needMentioned() throws {
    try db.run("SELECT value FROM journal UNION ALL SELECT changes FROM intended") { columns in
      for digest in Digest.mentioned(in: columns.bytes(0)) { contents.need(digest) }
    }
  }

  /// A content that is stored as a difference cannot be read without the former one.
  private mutating func needFormers() throws {
    try db.run(
      """
      SELECT digest, former FROM contents JOIN blocks ON id = block WHERE former IS NOT NULL ORDER BY depth DESC
      """
    ) { columns in
      if !contents.isExpired(try columns.digest(0)) { contents.need(try columns.digest(1)) }
    }
  }

  private mutating func findContents() throws {
    expired.contents = contents.expired
    for digest in expired.contents {
      expired.bytes +=
        try db.first("SELECT size FROM contents WHERE digest = ?", .digest(digest)) { $0.integer(0) } ?? 0
    }
  }
}

/// What an archive no longer needs.
struct ExpiredHistory {
  var versions: [VersionKey] = []
  /// The passes up to this one are not needed.
  var lastPass = 0
  var contents: [Digest] = []
  /// The size of the contents.
  var bytes = 0

  /// Removes everything from the database, and returns the contents whose files can be removed.
  func remove(_ db: Database) throws -> [Digest] {
    for key in versions { try key.delete(db) }
    try db.run("DELETE FROM passes WHERE number <= ?", .integer(lastPass))
    for table in ["results", "actions", "timeline"] {
      try db.run("DELETE FROM \(table) WHERE pass <= ?", .integer(lastPass))
    }
    return try contents.filter { try ContentTable.remove($0, db) }
  }
}

/// The versions that the limits of age and number keep, and their contents.
private struct KeptVersions {
  private var removable: [(key: VersionKey, age: Int)] = []
  /// The number of versions with each content.
  private var counts: [Digest: Int] = [:]
  private var bytes = 0

  /// The contents of the versions.
  var digests: some Sequence<Digest> { counts.keys }

  /// Adds a version that the size limit must not remove.
  mutating func add(_ digest: Digest, size: Int) {
    if counts.updateValue((counts[digest] ?? 0) + 1, forKey: digest) == nil { bytes += size }
  }

  /// Adds a version that the size limit may remove.
  mutating func add(_ key: VersionKey, age: Int) {
    add(key.digest, size: key.size)
    removable.append((key, age))
  }

  /// Removes the oldest versions until the rest has at most `limit` bytes, and returns them.
  mutating func removeOldest(exceeding limit: Int) -> [VersionKey] {
    var removed: [VersionKey] = []
    for (key, _) in removable.sorted(by: { $0.age < $1.age }) {
      guard bytes > limit else { break }
      removed.append(key)
      counts[key.digest, default: 1] -= 1
      guard counts[key.digest] == 0 else { continue }
      counts[key.digest] = nil
      bytes -= key.size
    }
    return removed
  }
}

/// The key of a row of the versions table, and the size of its content.
struct VersionKey {
  var path: [UInt8]
  var digest: Digest
  var pass: Int
  var remote: String
  var side: String
  var size: Int

  fileprivate init(_ columns: Columns) throws {
    path = columns.bytes(0)
    digest = try columns.digest(1)
    pass = columns.integer(2)
    remote = columns.text(3)
    side = columns.text(4)
    size = columns.integer(8)
  }

  fileprivate func delete(_ db: Database) throws {
    try db.run(
      "DELETE FROM versions WHERE path = ? AND digest = ? AND pass = ? AND remote = ? AND side = ?",
      .bytes(path), .digest(digest), .integer(pass), .text(remote), .text(side))
  }
}
