internal import SyncKit

/// The points of a fetch, a commit and a push at which a test can stop the program.
enum GitFailpoint: String, ModuleFailpoint {
  case objectsWriting = "git.objects.writing"
  case objectsWritten = "git.objects.written"
  case fetchStarting = "git.fetch.starting"
  case fetchFinished = "git.fetch.finished"
  case pushStarting = "git.push.starting"
  case pushFinished = "git.push.finished"

  var promise: String {
    switch self {
    case .objectsWriting, .objectsWritten, .fetchStarting, .fetchFinished: "P8"
    case .pushStarting, .pushFinished: "P9"
    }
  }
}
