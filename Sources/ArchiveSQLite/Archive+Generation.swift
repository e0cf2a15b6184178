internal import GRDB
public import SyncKit

extension SQLiteArchive {
  public func generation(of remote: String) async throws(SyncError) -> Int {
    try await database.generation(of: remote)
  }
}

extension ReadOnlyArchive {
  public func generation(of remote: String) async throws(SyncError) -> Int {
    try await memory(of: remote).generation
  }
}

extension ArchiveDatabase {
  func generation(of remote: String) async throws(SyncError) -> Int {
    try await read { db in try RemoteRow.read(remote, db)?.generation ?? 0 }
  }
}
