internal import GRDB
import SyncKit

extension RemoteMemory {
  /// Reads everything that the database has for one remote.
  init(of remote: String, at now: Timestamp, _ db: Database) throws {
    self.init()
    allowed = try HoldTable.approved(of: remote, db)
    hold = try HoldTable.hold(of: remote, db)?.hold
    deletedToday = try DeletionTable.count(of: remote, at: now, db)
    conflicts = try ConflictTable.open(of: remote, db)
    (intended, lastBatch) = try IntendedChangeTable.open(of: remote, db)
    guard let row = try RemoteRow.read(remote, db) else { return }
    base = try AgreementTable.base(of: row, db)
    (localRoot, remoteRoot) = (row.localRoot, row.remoteRoot)
    (localCursor, remoteCursor) = (row.localCursor, row.remoteCursor)
    generation = row.generation
  }
}
