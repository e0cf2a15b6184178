internal import SyncKit

/// The points of a transaction with a remote folder at which a test can stop the program.
enum RsyncFailpoint: String, ModuleFailpoint {
  case intentWriting = "rsync.intent.writing"
  case intentWritten = "rsync.intent.written"
  case stagingFinished = "rsync.staging.finished"
  case sendingFinished = "rsync.sending.finished"
  case lookupFinished = "rsync.look.finished"
  case intentClosing = "rsync.intent.closing"
  case intentClosed = "rsync.intent.closed"
  case renameRecorded = "rsync.rename.recorded"
  case renameLinked = "rsync.rename.linked"
  case renameFinished = "rsync.rename.finished"
  case renameClosing = "rsync.rename.closing"
  case renameClosed = "rsync.rename.closed"

  var promise: String {
    switch self {
    case .intentWriting, .intentWritten, .stagingFinished, .intentClosing, .intentClosed: "P8"
    case .renameRecorded, .renameClosing, .renameClosed: "P8"
    case .sendingFinished, .lookupFinished, .renameLinked, .renameFinished: "P9"
    }
  }
}
