public import SyncKit

internal import class GRDB.Database

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    let unknown = found.subtracting(try await contents.held(found))
    var adopted: [Digest: PendingContent] = [:]
    for digest in unknown { adopted[digest] = try await contents.files.size(of: digest).map { .file(size: $0) } }
    try await database.write(between: .pruning, and: .pruned) { [now = database.now, adopted] db in
      try ContentTable.insert(adopted, at: now(), into: db)
      try BlockTable.removeEmpty(db)
    }
    try contents.files.removeTemporaries(before: database.now().dayBefore)
    try await rewritePacks(removing: []) { db throws in try PackCompaction.wasteful(folder.packs, db) }
    for path in try folder.formerDatabases() {
      let limit = Timestamp(nanoseconds: database.now().nanoseconds - Int64(30 * ArchiveClock.day))
      if let facts = StateFile.facts(path), facts.modified < limit { unsafe unlink(path) }
    }
  }

  /// Rewrites the packs that `choose` returns without what no content needs, and without some contents; then removes the old
  /// files. If the program stops in between, the next pruning removes them.
  func rewritePacks(
    removing digests: Set<Digest>, _ choose: @escaping @Sendable (Database) throws -> [Int]
  ) async throws(SyncError) {
    let rewriting = PackCompaction(files: folder.packs, packing: packing, removing: digests)
    if digests.isEmpty, try await database.read({ db in try choose(db).isEmpty }) { return }
    let old = try await database.write(between: .packsRewriting, and: .packsRewritten) { db in
      let packs = try choose(db)
      try rewriting.rewrite(packs, db)
      return packs
    }
    packing.reader.forget()
    folder.packs.remove(old)
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
