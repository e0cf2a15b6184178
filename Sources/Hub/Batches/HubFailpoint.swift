import SyncKit

/// The points of a batch at which a test can stop the program.
package enum HubFailpoint: String, ModuleFailpoint {
  case applied = "hub.batch.applied"
  case intended = "hub.batch.intended"
  case written = "hub.batch.written"
  case recorded = "hub.batch.recorded"

  /// The promise that a crash at this point threatens.
  package var promise: String {
    switch self {
    case .applied: "P1"
    case .intended, .written, .recorded: "P9"
    }
  }
}
