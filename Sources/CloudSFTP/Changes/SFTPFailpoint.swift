internal import SyncKit

/// The points of a move on a host with sftp at which a test can stop the program.
enum SFTPFailpoint: String, ModuleFailpoint {
  case moving = "sftp.move.starting"
  case movedAway = "sftp.move.away"
  case moveNamed = "sftp.move.named"
  case moveFinished = "sftp.move.finished"

  var promise: String {
    switch self {
    case .moving, .movedAway: "P8"
    case .moveNamed, .moveFinished: "P9"
    }
  }
}
