import SyncKit

/// The points of an edit of entries at which a test can stop the program.
package enum ItemFailpoint: String, ModuleFailpoint {
  case applied = "entries.edit.applied"
  case intentWritten = "entries.intent.written"
  case fileWritten = "entries.file.written"
  case recorded = "entries.edit.recorded"
  case intentRemoved = "entries.intent.removed"

  /// The promise that a crash at this point threatens.
  package var promise: String {
    switch self {
    case .applied, .intentWritten, .fileWritten: "P1"
    case .recorded, .intentRemoved: "P9"
    }
  }
}
