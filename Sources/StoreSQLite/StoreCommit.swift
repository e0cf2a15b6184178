internal import GRDB
internal import SyncKit

/// One batch of changes, in a transaction of the caller.
struct StoreCommit {
  private let db: Database
  private let now: Timestamp
  private var counter: Int64
  /// The folders that are known to have no file in their place.
  private var folders: Set<SyncPath> = []

  init(_ db: Database, at now: Timestamp) throws {
    (self.db, self.now) = (db, now)
    counter = try StoreMeta.counter(db)
  }

  /// Makes the changes whose conditions hold. An error of one file is its result; any other one ends the transaction.
  mutating func run(
    _ changes: [Change], _ staged: [Int: Result<StagedContent, SyncError>]
  ) throws -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for index in changes.steps.joined() {
      do { results[index] = try make(changes[index], staged[index]) } catch let error as SyncError {
        results[index] = .failed(error)
      }
    }
    try StoreMeta.set("counter", counter, db)
    return results.complete
  }

  private mutating func make(
    _ change: Change, _ staged: Result<StagedContent, SyncError>?
  ) throws -> WriteResult {
    let present = try FileTable.find(change.path, db)
    switch change.condition {
    case .absent: guard present == nil else { return .refused(present?.entry) }
    case .unchanged(let revision): guard let present, present.proof == revision else { return .refused(present?.entry) }
    }
    guard let staged else {
      if let present { try remove(present) }
      return .done(nil)
    }
    if let violation = NamingRules().violation(by: change.path) { return .cannot(violation) }
    let content = try staged.get()
    if present == nil, let obstacle = try obstacle(to: change.path) {
      return .failed(SyncError(.pathFailed, obstacle))
    }
    return .done(try write(content, to: change.path, modified: change.modified ?? now, over: present))
  }

  private mutating func remove(_ file: StoredFile) throws {
    try PartTable.remove(file.content, db)
    try FileTable.remove(file.path, db)
    counter += 1
    folders = []
  }

  /// Writes a file, and the proof of it.
  mutating func write(
    _ content: StagedContent, to path: SyncPath, modified: Timestamp, over present: StoredFile?
  ) throws -> Entry {
    counter += 1
    let number = try content.publish(for: counter, at: path, db)
    if let present { try PartTable.remove(present.content, db) }
    let file = StoredFile(
      path: path, revision: counter, content: number, size: content.size, modified: modified, digest: content.digest)
    try FileTable.put(file, db)
    try EvidenceTable.add(path, content.digest, db)
    var entry = file.entry
    entry.digest = file.digest
    return entry
  }

  /// Returns the reason why a new file cannot have a path that a folder could not hold either.
  private mutating func obstacle(to path: SyncPath) throws -> String? {
    for folder in path.ancestors where !folders.contains(folder) {
      if try FileTable.find(folder, db) != nil { return "\(folder) is a file, not a folder" }
      folders.insert(folder)
    }
    // An earlier change of this batch may have put a file below it.
    return try folders.contains(path) || FileTable.hasFiles(below: path, db) ? "\(path) is a folder" : nil
  }
}

/// The table `written`: proof of what passes have written, until they have recorded it.
enum EvidenceTable {
  static func add(_ path: SyncPath, _ digest: Digest, _ db: Database) throws {
    try db.cachedStatement(sql: "INSERT OR IGNORE INTO written VALUES (?, ?)").execute(
      arguments: [StoredPath.bytes(of: path).data, digest.bytes.data])
  }

  /// Returns the awaited paths whose contents were written.
  static func written(of known: Known, _ db: Database) throws -> Set<SyncPath> {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM written WHERE path = ? AND digest = ?")
    return try Set(
      known.awaited.compactMap { path, digest in
        let arguments: StatementArguments = [StoredPath.bytes(of: path).data, digest.bytes.data]
        return try Int.fetchOne(statement, arguments: arguments) == nil ? nil : path
      })
  }

  /// Returns true if there is proof that no pass over any remote waits for.
  static func hasUseless(_ known: Known, _ db: Database) throws -> Bool {
    guard known.awaited.isEmpty, known.pending.isEmpty else { return try !useless(known, db).isEmpty }
    return try Int.fetchOne(db, sql: "SELECT 1 FROM written LIMIT 1") != nil
  }

  static func removeUseless(_ known: Known, _ db: Database) throws {
    guard !known.awaited.isEmpty || !known.pending.isEmpty else { return try db.execute(sql: "DELETE FROM written") }
    for (path, digest) in try useless(known, db) {
      try db.execute(sql: "DELETE FROM written WHERE path = ? AND digest = ?", arguments: [path.data, digest.data])
    }
  }

  private static func useless(_ known: Known, _ db: Database) throws -> [(path: [UInt8], digest: [UInt8])] {
    let rows = try Row.fetchAll(db, sql: "SELECT path, digest FROM written")
    return try rows.compactMap { row in
      let stored = try row.withUnsafeData(atIndex: 0) { $0.map { [UInt8]($0) } ?? [] }
      let digest = try row.withUnsafeData(atIndex: 1) { $0.map { [UInt8]($0) } ?? [] }
      guard let path = SyncPath(bytes: StoredPath.path(stored)) else { return (stored, digest) }
      let isAwaited = known.pending.contains(path) || known.awaited[path]?.bytes == digest
      return isAwaited ? nil : (stored, digest)
    }
  }
}
