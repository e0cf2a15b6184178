public import SyncKit

extension SQLiteArchive {
  /// Removes, at most once a day, what has been kept long enough: versions that were replaced longer ago than `history`, but
  /// never one of the last seven days nor the last three of a path, and contents without references.
  ///
  /// The last common content of a path stays if `needsBase` returns true for its path and size.
  public func prune(
    history: Duration, needsBase: @escaping @Sendable (SyncPath, Int) -> Bool
  ) async throws(SyncError) {
    let now = database.now()
    guard try await database.read({ db in try Pruning.isDue(at: now, db) }) else { return }
    _ = try await database.write(between: .pruning, and: .pruned) { db in
      var pruning = try Pruning(history: history, at: now, needsBase: needsBase, db)
      return try pruning.carryOut(at: now)
    } afterwards: { [pending = database.pending, files = contents.files] expired in
      for digest in expired { pending.unlessPending(digest) { files.remove(digest) } }
    }
    try await sweep()
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
