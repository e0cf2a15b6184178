import SyncKit

/// The points of an archive write at which a test can stop the program.
package enum ArchiveFailpoint: String, ModuleFailpoint {
  case contentsWriting = "archive.contents.writing"
  case contentsWritten = "archive.contents.written"
  case packSyncing = "archive.pack.syncing"
  case packSynced = "archive.pack.synced"
  case packsRewriting = "archive.packs.rewriting"
  case packsRewritten = "archive.packs.rewritten"
  case fileWriting = "archive.file.writing"
  case fileWritten = "archive.file.written"
  case versionsWriting = "archive.versions.writing"
  case versionsWritten = "archive.versions.written"
  case recordWriting = "archive.record.writing"
  case recordWritten = "archive.record.written"
  case journalWriting = "archive.journal.writing"
  case journalWritten = "archive.journal.written"
  case approvalWriting = "archive.approval.writing"
  case approvalWritten = "archive.approval.written"
  case formatWriting = "archive.format.writing"
  case formatWritten = "archive.format.written"
  case pruning = "archive.prune.starting"
  case pruned = "archive.prune.finished"
  case purging = "archive.purge.starting"
  case purged = "archive.purge.removed"
  case compacted = "archive.purge.compacted"

  package var promise: String {
    switch self {
    case .contentsWriting, .contentsWritten, .packSyncing, .packSynced, .packsRewriting, .packsRewritten, .fileWriting,
      .fileWritten, .versionsWriting, .versionsWritten, .pruning, .pruned, .purging, .purged, .compacted:
      "P1"
    case .approvalWriting, .approvalWritten: "P4"
    case .journalWriting, .journalWritten, .formatWriting, .formatWritten: "P8"
    case .recordWriting, .recordWritten: "P9"
    }
  }
}
