public import SyncKit

/// The points of a change to a file tree, and of its recovery, at which a test can stop the program.
public enum TreeFailpoint: String, ModuleFailpoint {
  case temporaryCreated = "tree.temporary.created"
  case temporaryWriting = "tree.temporary.writing"
  case temporaryWritten = "tree.temporary.written"
  case temporarySyncing = "tree.temporary.syncing"
  case temporarySynced = "tree.temporary.synced"
  case intentWriting = "tree.intent.writing"
  case intentWritten = "tree.intent.written"
  case folderCreating = "tree.folder.creating"
  case folderCreated = "tree.folder.created"
  case filePublishing = "tree.file.publishing"
  case filePublished = "tree.file.published"
  case fileExchanging = "tree.file.exchanging"
  case fileExchanged = "tree.file.exchanged"
  case fileVerified = "tree.file.verified"
  case fileExchangingBack = "tree.file.exchanging-back"
  case fileExchangedBack = "tree.file.exchanged-back"
  case fileMovingAway = "tree.file.moving-away"
  case fileMovedAway = "tree.file.moved-away"
  case fileMovingBack = "tree.file.moving-back"
  case fileMovedBack = "tree.file.moved-back"
  case folderSyncing = "tree.folder.syncing"
  case folderSynced = "tree.folder.synced"
  case temporaryDiscarding = "tree.temporary.discarding"
  case temporaryDiscarded = "tree.temporary.discarded"
  case folderRemoving = "tree.folder.removing"
  case folderRemoved = "tree.folder.removed"
  case intentClosing = "tree.intent.closing"
  case intentClosed = "tree.intent.closed"
  case recoveryStarted = "tree.recovery.started"
  case recoveryDecided = "tree.recovery.decided"
  case recoveryFinished = "tree.recovery.finished"

  /// The promise that a crash at this point threatens.
  public var promise: String {
    switch self {
    case .temporaryDiscarding, .temporaryDiscarded: "P1"
    case .fileExchanging, .fileExchanged, .fileVerified, .fileExchangingBack, .fileExchangedBack, .fileMovingAway,
      .fileMovedAway, .fileMovingBack, .fileMovedBack:
      "P2"
    case .temporaryCreated, .temporaryWriting, .temporaryWritten, .temporarySyncing, .temporarySynced, .filePublishing,
      .filePublished:
      "P7"
    case .intentWriting, .intentWritten, .folderCreating, .folderCreated, .folderRemoving, .folderRemoved,
      .intentClosing, .intentClosed, .recoveryStarted, .recoveryDecided, .recoveryFinished:
      "P8"
    case .folderSyncing, .folderSynced: "P9"
    }
  }
}
