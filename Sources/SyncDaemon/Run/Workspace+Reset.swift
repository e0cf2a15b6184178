import ArchiveSQLite
import SealedStorage
package import SyncKit

extension Workspace {
  /// What a reset of a remote forgot.
  package struct ForgottenRemote: Sendable {
    /// The number of files that both sides agreed on.
    package let files: Int
    /// True if the remote was encrypted, so that the next pass accepts the key that it finds there.
    package let isEncrypted: Bool
  }

  /// Forgets what was agreed with a remote, its marker, and everything else that was learned of it, so that the next pass is a
  /// first one: it merges both sides and deletes nothing. Previous versions stay in the history.
  ///
  /// - Throws: `.wrongReplica` while a re-encryption is interrupted: without its record, half of the files would be unreadable; and
  ///   `.invalidSettings` if the remote was encrypted and the settings do not encrypt it now: the next pass would send readable files.
  package func reset(_ remote: String) async throws(SyncError) -> ForgottenRemote {
    let journal = archive.journal(of: remote)
    guard try await PendingKey(in: journal) == nil else {
      throw SyncError(
        .wrongReplica,
        "cannot reset the remote \(remote): its re-encryption was interrupted and must be finished first. If its files are gone, give "
          + "the remote another name in the settings", remedy: .rekey(remote: remote))
    }
    let isEncrypted = try await SealRecord(in: journal) != nil
    if isEncrypted, let present = configuration.remotes.first(where: { $0.name == remote }), present.encryption == nil {
      throw SyncError(
        .invalidSettings,
        "cannot reset the remote \(remote): it was encrypted, and its settings have no `encryption` now, so readable files would be sent "
          + "to it. Set `encryption` again, or give the remote another name in the settings")
    }
    let forgotten = ForgottenRemote(
      files: try await history.facts().agreements[remote] ?? 0, isEncrypted: isEncrypted)
    var record = Record(remote: remote)
    record.startsAgain = true
    try await archive.record(record)
    let keys = try await journal.records().keys
    try await journal.write(Dictionary(keys.map { ($0, nil) }, uniquingKeysWith: { first, _ in first }))
    state.forgetStatus(of: remote)
    return forgotten
  }
}
