internal import SyncKit

/// The points of a move in a bucket at which a test can stop the program.
enum S3Failpoint: String, ModuleFailpoint {
  case moveRecorded = "bucket.move.recorded"
  case moveCopied = "bucket.move.copied"
  case moveFinished = "bucket.move.finished"

  var promise: String {
    switch self {
    case .moveRecorded: "P8"
    case .moveCopied, .moveFinished: "P9"
    }
  }
}
