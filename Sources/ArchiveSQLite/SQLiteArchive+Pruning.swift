public import SyncKit

/// The part of the history that the retention removes.
public struct PrunedHistory: Hashable, Sendable {
  /// The number of previous versions.
  public var versions: Int
  /// The number of contents that nothing else needs.
  public var contents: Int
  /// The size of these contents in bytes.
  public var bytes: Int

  init(_ expired: ExpiredHistory) {
    // A version has a row for each side and remote.
    versions = Set(expired.versions.map { [$0.path, $0.digest.bytes] }).count
    contents = expired.contents.count
    bytes = expired.bytes
  }
}

extension SQLiteArchive {
  /// Removes, at most once a day unless it is forced, what the retention does not keep, and contents without references.
  ///
  /// The last common content of a path stays if `needsBase` returns true for its path and size. Returns nil if it is not due.
  @discardableResult
  public func prune(
    _ retention: Retention, isForced: Bool = false, needsBase: @escaping @Sendable (SyncPath, Int) -> Bool
  ) async throws(SyncError) -> PrunedHistory? {
    let now = database.now()
    let isDue = try await database.read { db in try isForced || Pruning.isDue(at: now, db) }
    guard isDue else { return nil }
    let (pruned, _) = try await database.write(between: .pruning, and: .pruned) { db in
      let expired = try Pruning.find(retention, at: now, needsBase: needsBase, db)
      var row = try ArchiveRow.read(db)
      row.clock.look(at: now)
      row.pruned = now
      try row.write(db)
      return (PrunedHistory(expired), try expired.remove(db))
    } afterwards: { [pending = database.pending, files = contents.files] _, expired in
      for digest in expired { pending.unlessPending(digest) { files.remove(digest) } }
    }
    try await sweep()
    return pruned
  }

  /// Cleans up files that crashes have left: removes temporary files, and adds contents that the database does not have, which
  /// then age like any other.
  private func sweep() async throws(SyncError) {
    let found = try contents.files.all()
    try await database.write(between: .pruning, and: .pruned) { [now = database.now] db in
      try ContentTable.insert(found.filter { try !ContentTable.holds($0.key, db) }, at: now(), into: db)
    }
    try contents.files.removeTemporaries(before: database.now().dayBefore)
  }
}

extension History {
  /// Returns what ``SQLiteArchive/prune(_:isForced:needsBase:)`` would remove. Changes nothing.
  public func prunable(
    _ retention: Retention, needsBase: @escaping @Sendable (SyncPath, Int) -> Bool
  ) async throws(SyncError) -> PrunedHistory {
    let now = database.now()
    return try await database.read { db in
      PrunedHistory(try Pruning.find(retention, at: now, needsBase: needsBase, db))
    }
  }
}
