internal import GRDB
public import SyncKit

extension SQLiteArchive {
  /// Reads everything that the archive holds, and gives what is not as it was written, as sentences; none if all is well.
  /// Nothing is changed.
  public func verify() async throws(SyncError) -> [String] {
    try await findings { () throws(SyncError) in try await verifyStructure() }
      + findings { () throws(SyncError) in try await verifyRecords() }
      + findings { () throws(SyncError) in try await verifyContents() }
  }

  private func verifyStructure() async throws(SyncError) -> [String] {
    try await database.read { db in try db.all("PRAGMA integrity_check(100)") { $0.text(0) } }.filter { $0 != "ok" }
  }

  private func verifyRecords() async throws(SyncError) -> [String] {
    let remotes = try await database.read { db in
      try db.all("SELECT name FROM remotes UNION SELECT remote FROM journal ORDER BY 1") { $0.text(0) }
    }
    var all: [String] = []
    for remote in remotes {
      all += try await findings { () throws(SyncError) in
        _ = try await memory(of: remote)
        _ = try await journal(of: remote).records()
        return []
      }
    }
    return all
  }

  private func verifyContents() async throws(SyncError) -> [String] {
    let digests = try await database.read { db in
      try db.all("SELECT digest FROM contents ORDER BY digest") { try $0.digest(0) }
    }
    var all: [String] = []
    for digest in digests {
      all += try await findings { () throws(SyncError) in
        guard var reader = try await content(digest)?.reader() else { return [] }
        while try await reader.next() != nil {}
        return []
      }
    }
    return all
  }

  /// What `check` finds; that it cannot go on because of damage is one finding more.
  private func findings(_ check: () async throws(SyncError) -> [String]) async throws(SyncError) -> [String] {
    do throws(SyncError) {
      return try await check()
    } catch {
      guard error.code == .damagedState else { throw error }
      return [error.message]
    }
  }
}
