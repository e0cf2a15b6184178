internal import SyncKit

/// The points of a move in Box at which a test can stop the program.
enum MoveFailpoint: String, ModuleFailpoint {
  case starting = "box.move.starting"
  case answered = "box.move.answered"
  case finished = "box.move.finished"

  var promise: String {
    switch self {
    case .starting: "P8"
    case .answered, .finished: "P9"
    }
  }
}
