/// A place between two effects, where a test can kill the program, make it fail or make it wait.
///
/// Failpoints are in every build and do nothing unless the environment variable `SYNCD_FAILPOINTS` is set. Its value is
/// a list of `NAME=ACTION[@COUNT]`, separated by semicolons; the name `*` stands for all places, counted together.
/// Actions: `kill`, `abort`, `error(ERRNO)`, `delay(MILLISECONDS)`, `pause(FILE)` (until the file exists), `short(BYTES)`
/// and `corrupt` (of what is being written). Counts: `every` (default), `first`, `nth(K)`, `probability(P,SEED)`.
public enum Failpoint: String, CaseIterable, Sendable {
  case treeTemporaryCreated = "tree.temporary.created"
  case treeTemporaryWriting = "tree.temporary.writing"
  case treeTemporaryWritten = "tree.temporary.written"
  case treeTemporarySyncing = "tree.temporary.syncing"
  case treeTemporarySynced = "tree.temporary.synced"
  case treeIntentWriting = "tree.intent.writing"
  case treeIntentWritten = "tree.intent.written"
  case treeFolderCreating = "tree.folder.creating"
  case treeFolderCreated = "tree.folder.created"
  case treeFilePublishing = "tree.file.publishing"
  case treeFilePublished = "tree.file.published"
  case treeFileExchanging = "tree.file.exchanging"
  case treeFileExchanged = "tree.file.exchanged"
  case treeFileVerified = "tree.file.verified"
  case treeFileExchangingBack = "tree.file.exchanging-back"
  case treeFileExchangedBack = "tree.file.exchanged-back"
  case treeFileMovingAway = "tree.file.moving-away"
  case treeFileMovedAway = "tree.file.moved-away"
  case treeFileMovingBack = "tree.file.moving-back"
  case treeFileMovedBack = "tree.file.moved-back"
  case treeFolderSyncing = "tree.folder.syncing"
  case treeFolderSynced = "tree.folder.synced"
  case treeTemporaryDiscarding = "tree.temporary.discarding"
  case treeTemporaryDiscarded = "tree.temporary.discarded"
  case treeFolderRemoving = "tree.folder.removing"
  case treeFolderRemoved = "tree.folder.removed"
  case treeIntentClosing = "tree.intent.closing"
  case treeIntentClosed = "tree.intent.closed"
  case treeRecoveryStarted = "tree.recovery.started"
  case treeRecoveryDecided = "tree.recovery.decided"
  case treeRecoveryFinished = "tree.recovery.finished"
  case storageCommitStarting = "storage.commit.starting"
  case storageCommitFinished = "storage.commit.finished"
  case storageMarkerWriting = "storage.marker.writing"
  case storageMarkerWritten = "storage.marker.written"
  case gitObjectsWriting = "git.objects.writing"
  case gitObjectsWritten = "git.objects.written"
  case gitFetchStarting = "git.fetch.starting"
  case gitFetchFinished = "git.fetch.finished"
  case gitPushStarting = "git.push.starting"
  case gitPushFinished = "git.push.finished"
  case rsyncIntentWriting = "rsync.intent.writing"
  case rsyncIntentWritten = "rsync.intent.written"
  case rsyncStagingFinished = "rsync.staging.finished"
  case rsyncSendingFinished = "rsync.sending.finished"
  case rsyncLookFinished = "rsync.look.finished"
  case rsyncIntentClosing = "rsync.intent.closing"
  case rsyncIntentClosed = "rsync.intent.closed"
  case archiveContentsWriting = "archive.contents.writing"
  case archiveContentsWritten = "archive.contents.written"
  case archiveFileWriting = "archive.file.writing"
  case archiveFileWritten = "archive.file.written"
  case archiveVersionsWriting = "archive.versions.writing"
  case archiveVersionsWritten = "archive.versions.written"
  case archiveRecordWriting = "archive.record.writing"
  case archiveRecordWritten = "archive.record.written"
  case archiveJournalWriting = "archive.journal.writing"
  case archiveJournalWritten = "archive.journal.written"
  case archiveApprovalWriting = "archive.approval.writing"
  case archiveApprovalWritten = "archive.approval.written"
  case archiveFormatWriting = "archive.format.writing"
  case archiveFormatWritten = "archive.format.written"
  case archivePruning = "archive.prune.starting"
  case archivePruned = "archive.prune.finished"
  case passStarted = "pass.scan.starting"
  case passScanned = "pass.scan.finished"
  case passFetched = "pass.fetch.finished"
  case passPlanned = "pass.plan.finished"
  case passBatchStarting = "pass.batch.starting"
  case passRemoteApplied = "pass.remote.applied"
  case passLocalApplied = "pass.local.applied"
  case passBatchRecorded = "pass.batch.recorded"
  case passFinished = "pass.finished"

  /// The promise of `docs/reliability.md` that a crash at this place threatens.
  public var promise: String {
    switch self {
    case .treeTemporaryCreated, .treeTemporaryWriting, .treeTemporaryWritten, .treeTemporarySyncing,
      .treeTemporarySynced, .treeFilePublishing, .treeFilePublished:
      "P7"
    case .treeFileExchanging, .treeFileExchanged, .treeFileVerified, .treeFileExchangingBack, .treeFileExchangedBack,
      .treeFileMovingAway, .treeFileMovedAway, .treeFileMovingBack, .treeFileMovedBack:
      "P2"
    case .archiveContentsWriting, .archiveContentsWritten, .archiveFileWriting, .archiveFileWritten,
      .archiveVersionsWriting, .archiveVersionsWritten, .archivePruning, .archivePruned, .treeTemporaryDiscarding,
      .treeTemporaryDiscarded:
      "P1"
    case .archiveRecordWriting, .archiveRecordWritten, .passBatchStarting, .passRemoteApplied, .passLocalApplied,
      .passBatchRecorded, .storageCommitStarting, .storageCommitFinished, .treeFolderSyncing, .treeFolderSynced,
      .gitPushStarting, .gitPushFinished, .rsyncSendingFinished, .rsyncLookFinished:
      "P9"
    case .archiveApprovalWriting, .archiveApprovalWritten: "P4"
    case .storageMarkerWriting, .storageMarkerWritten, .passStarted, .passScanned, .passFetched, .passPlanned: "P3"
    case .treeIntentWriting, .treeIntentWritten, .treeFolderCreating, .treeFolderCreated, .treeFolderRemoving,
      .treeFolderRemoved, .treeIntentClosing, .treeIntentClosed, .treeRecoveryStarted, .treeRecoveryDecided,
      .treeRecoveryFinished, .archiveFormatWriting, .archiveFormatWritten, .archiveJournalWriting,
      .archiveJournalWritten, .gitObjectsWriting, .gitObjectsWritten, .gitFetchStarting, .gitFetchFinished,
      .rsyncIntentWriting, .rsyncIntentWritten, .rsyncStagingFinished, .rsyncIntentClosing, .rsyncIntentClosed,
      .passFinished:
      "P8"
    }
  }

  /// Does what the environment asks for at this place; nothing, as a rule.
  public func reach() throws(SyncError) {
    guard let plan = FailpointPlan.current else { return }
    try plan.reach(self)
  }

  /// The same, at a place where bytes are about to be written, which may be cut short or spoilt.
  public func reach(writing bytes: inout [UInt8]) throws(SyncError) {
    guard let plan = FailpointPlan.current else { return }
    try plan.reach(self, writing: &bytes)
  }
}
