internal import GRDB
internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private func systemRename(_ path: String, _ other: String) -> Int32 { unsafe rename(path, other) }

/// The repair of a damaged store: the damaged file stays under another name, and a new one gets every file that can be restored.
///
/// The content of a file is that of the damaged store if it is intact; else the same content, or the last one that was agreed on, from
/// the history or the last copy; else the older one of the copy.
struct StoreRecovery {
  let path: String
  let parts: RemoteParts

  /// The files whose contents are written at once.
  private static let batch = 1_000

  /// What is known of a file that is not intact.
  private struct Loss {
    var path: SyncPath
    /// Its last content; nil if only its path is known.
    var digest: Digest?
  }

  /// Makes the new store beside the damaged one, which stays as it is until then.
  func run(agreed: [SyncPath: Digest]) async throws(SyncError) -> StoreRepair {
    try Self.finish(at: path)
    var repair = StoreRepair(damaged: "\(path).damaged-\(name(of: parts.runtime.now()))")
    let (old, new) = (replica(at: path), replica(at: path + ".repairing"))
    for ending in ["", "-wal", "-shm"] { _ = unsafe unlink(new.address + ending) }
    _ = try await new.claim()
    let (rows, isComplete) = await Self.rows(of: old.database)
    repair.mayLackFiles = !isComplete
    var losses = try await transfer(rows, from: old, to: new, &repair)
    if !isComplete {
      let known = Set(rows.map(\.path))
      losses += agreed.keys.filter { !known.contains($0) }.sorted().map { Loss(path: $0, digest: nil) }
    }
    try await restore(losses, agreed, to: new, listsOwn: isComplete, &repair)
    try exchange(old, for: new, damaged: repair.damaged)
    return repair
  }

  private func replica(at path: String) -> SQLiteReplica {
    SQLiteReplica(StoreDatabase(at: path), parts, copyingEvery: .zero)
  }

  /// A time as a part of a file's name.
  private func name(of time: Timestamp) -> String { "\(CivilTime(time))".filter { $0 != ":" && $0 != "-" } }

  /// Gives the damaged store another name, and the new one its name.
  private func exchange(_ old: SQLiteReplica, for new: SQLiteReplica, damaged: String) throws(SyncError) {
    try new.database.turnNow(.writing) { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    new.database.close()
    // If the log cannot be moved into the file, it keeps its place beside it.
    try? old.database.turnNow(.writing) { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    old.database.close()
    try StoreFailpoint.exchanging.reach()
    try Self.rename(new.address, path + Self.ready)
    try StoreFailpoint.repaired.reach()
    if FileIdentity(at: path) != nil { try Self.rename(path, damaged) }
    try StoreFailpoint.movedAside.reach()
    if FileIdentity(at: path + "-wal") != nil { try Self.rename(path + "-wal", damaged + "-wal") }
    try Self.finish(at: path)
  }

  /// What the name of a new store ends in while it is complete and the damaged one may still have its place.
  private static let ready = ".repaired"

  /// Finishes an exchange that was interrupted after the damaged store had lost its name.
  static func finish(at path: String) throws(SyncError) {
    guard FileIdentity(at: path) == nil, FileIdentity(at: path + ready) != nil else { return }
    // A log belongs to the damaged store, and SQLite would apply it to any file of this name.
    if FileIdentity(at: path + "-wal") != nil { try rename(path + "-wal", path + "-wal.damaged") }
    _ = unsafe unlink(path + "-shm")
    try rename(path + ready, path)
    try StoreFailpoint.restored.reach()
  }

  private static func rename(_ path: String, _ other: String) throws(SyncError) {
    guard systemRename(path, other) == 0 else {
      throw SyncError(.unavailable, "cannot rename \(path): \(unsafe String(cString: strerror(errno)))")
    }
  }

  /// Returns the rows that can be read, from both ends of the table, and true if those are all.
  private static func rows(of database: StoreDatabase) async -> (rows: [StoredFile], areAll: Bool) {
    var rows: [StoredFile] = []
    var areAll = true
    for isReversed in [false, true] {
      let read = try? await database.turn(.reading) { db in
        var read: (rows: [StoredFile], areAll: Bool) = ([], true)
        do {
          try FileTable.each(isReversed: isReversed, db) { file in
            if let file { read.rows.append(file) } else { read.areAll = false }
          }
        } catch { read.areAll = false }
        return read
      }
      rows += read?.rows ?? []
      areAll = read?.areAll ?? false
      if areAll { return (read?.rows ?? [], true) }
    }
    var paths: Set<SyncPath> = []
    return (rows.filter { paths.insert($0.path).inserted }, false)
  }

  /// Copies the intact files, and returns the others.
  private func transfer(
    _ rows: [StoredFile], from old: SQLiteReplica, to new: SQLiteReplica, _ repair: inout StoreRepair
  ) async throws(SyncError) -> [Loss] {
    var losses: [Loss] = []
    for start in stride(from: 0, to: rows.count, by: Self.batch) {
      try StoreFailpoint.restoring.reach()
      let rows = rows[start..<min(start + Self.batch, rows.count)]
      let intact = await Self.intact(rows, in: old)
      losses += rows.filter { !intact.contains($0.path) }.map { Loss(path: $0.path, digest: $0.digest) }
      let contents = rows.filter { intact.contains($0.path) }.map { ($0, old.database.content(of: $0)) }
      try await write(contents.map { ($0.0.path, $0.1, $0.0.modified) }, to: new)
      repair.intact += intact.count
    }
    return losses
  }

  private static func intact(_ rows: ArraySlice<StoredFile>, in old: SQLiteReplica) async -> Set<SyncPath> {
    var intact: Set<SyncPath> = []
    for row in rows {
      // A content that cannot be read is looked for elsewhere.
      let result = try? await old.read([row.path], into: DigestSink()).first
      if case .read? = result { intact.insert(row.path) }
    }
    return intact
  }

  private func write(
    _ files: [(path: SyncPath, content: Content, modified: Timestamp?)], to new: SQLiteReplica
  ) async throws(SyncError) {
    let changes = files.map { Change(path: $0.path, content: $0.content, condition: .absent, modified: $0.modified) }
    for (change, result) in zip(changes, try await new.commit(changes)) {
      guard case .done = result else {
        throw SyncError(.unexpected, "cannot restore \(change.path): \(result); run the command again")
      }
    }
  }

  /// Restores files that are not intact.
  ///
  /// - Parameter listsOwn: true if the damaged store told of every file, so that the copy has no others.
  private func restore(
    _ losses: [Loss], _ agreed: [SyncPath: Digest], to new: SQLiteReplica, listsOwn: Bool, _ repair: inout StoreRepair
  ) async throws(SyncError) {
    let copy = SQLiteReplica(StoreDatabase(at: StoreCopy.path(of: path)), parts, copyingEvery: .zero)
    let (copied, _) = await Self.rows(of: copy.database)
    let intact = await Self.intact(copied[...], in: copy)
    var rows = Dictionary(copied.filter { intact.contains($0.path) }.map { ($0.path, $0) }) { first, _ in first }
    for loss in losses {
      let row = rows.removeValue(forKey: loss.path)
      if let content = try await lastContent(of: loss, agreed, row, copy) {
        try await write([(loss.path, content, row?.modified)], to: new)
        repair.restored.append(loss.path)
      } else if let row {
        try await write([(loss.path, copy.database.content(of: row), row.modified)], to: new)
        repair.older.append(loss.path)
      } else {
        repair.missing.append(loss.path)
      }
    }
    if !listsOwn { try await add(rows.values.sorted { $0.path < $1.path }, of: copy, to: new, &repair) }
    copy.database.close()
  }

  /// The last content of a file, from the history or the copy; without the damaged store's word for it, the last one that was agreed on.
  private func lastContent(
    of loss: Loss, _ agreed: [SyncPath: Digest], _ row: StoredFile?, _ copy: SQLiteReplica
  ) async throws(SyncError) -> Content? {
    guard let digest = loss.digest ?? agreed[loss.path] else { return nil }
    if let row, row.digest == digest { return copy.database.content(of: row) }
    return try await parts.contents.content(digest)
  }

  /// Adds files that only the copy knows.
  private func add(
    _ rows: [StoredFile], of copy: SQLiteReplica, to new: SQLiteReplica, _ repair: inout StoreRepair
  ) async throws(SyncError) {
    for row in rows {
      guard case .absent = try await new.confirm(file: row.path) else { continue }
      try await write([(row.path, copy.database.content(of: row), row.modified)], to: new)
      repair.older.append(row.path)
    }
  }
}

extension StoreDatabase {
  /// The content of a file in this store, read when it is needed.
  func content(of file: StoredFile) -> Content {
    Content(digest: file.digest, size: file.size) { [self] () throws(SyncError) in
      PartReader(database: self, content: file.content)
    }
  }
}

/// Reads a content part by part.
private struct PartReader: ContentReader {
  let database: StoreDatabase
  let content: Int64
  var number: Int64 = 0

  mutating func next() async throws(SyncError) -> [UInt8]? {
    let (content, part) = (content, number)
    number += 1
    return try await database.turn(.reading) { db in try PartTable.part(part, of: content, db) }
  }
}
