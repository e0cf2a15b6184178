internal import GRDB
public import SyncKit

/// An archive that can check its own integrity.
public protocol VerifiableArchive: Archive {
  /// Reads everything in the archive and returns a sentence for each damage; an empty array if it is intact. Changes nothing.
  func verify() async throws(SyncError) -> [String]
}

extension SQLiteArchive: VerifiableArchive {
  public func verify() async throws(SyncError) -> [String] {
    try await ArchiveVerification(archive: self, database: database).findings()
  }
}

extension ReadOnlyArchive: VerifiableArchive {
  public func verify() async throws(SyncError) -> [String] {
    try await ArchiveVerification(archive: self, database: database).findings()
  }
}

/// One verification of everything in an archive: the database's structure, the rows with their checksums, and the
/// contents with their digests.
private struct ArchiveVerification {
  let archive: any Archive
  let database: ArchiveDatabase

  func findings() async throws(SyncError) -> [String] {
    try await findings { () throws(SyncError) in try await structure() }
      + findings { () throws(SyncError) in try await records() }
      + findings { () throws(SyncError) in try await versions() }
      + findings { () throws(SyncError) in try await contents() }
  }

  private func structure() async throws(SyncError) -> [String] {
    try await database.read { db in try db.all("PRAGMA integrity_check(100)") { $0.text(0) } }.filter { $0 != "ok" }
  }

  private func records() async throws(SyncError) -> [String] {
    let remotes = try await database.read { db in
      try db.all("SELECT name FROM remotes UNION SELECT remote FROM journal ORDER BY 1") { $0.text(0) }
    }
    var all: [String] = []
    for remote in remotes {
      all += try await findings { () throws(SyncError) in
        _ = try await archive.memory(of: remote)
        _ = try await archive.journal(of: remote).records()
        return []
      }
    }
    return all
  }

  private func versions() async throws(SyncError) -> [String] {
    try await database.read { db in try VersionTable.verify(db) }
    return []
  }

  private func contents() async throws(SyncError) -> [String] {
    let digests = try await database.read { db in
      try db.all("SELECT digest FROM contents ORDER BY block, start") { try $0.digest(0) }
    }
    var all: [String] = []
    for digest in digests {
      let findings = try await findings { () throws(SyncError) in
        guard var reader = try await archive.content(digest)?.reader() else { return [] }
        while try await reader.next() != nil {}
        return []
      }
      // A running service may have removed the content since it was counted.
      if !findings.isEmpty, try await !archive.held([digest]).isEmpty { all += findings }
    }
    return all
  }

  /// Returns the findings of `check`; an error that stops it is one more finding.
  private func findings(_ check: () async throws(SyncError) -> [String]) async throws(SyncError) -> [String] {
    do throws(SyncError) {
      return try await check()
    } catch {
      guard error.code == .damagedState else { throw error }
      return [error.message]
    }
  }
}
