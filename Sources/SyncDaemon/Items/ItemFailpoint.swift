import SyncKit

/// The points of an edit of entries at which a test can stop the program.
package enum ItemFailpoint: String, ModuleFailpoint {
  case applied = "item.edit.applied"
  case intentWritten = "item.intent.written"
  case fileWritten = "item.file.written"
  case recorded = "item.edit.recorded"
  case intentRemoved = "item.intent.removed"

  /// The promise that a crash at this point threatens.
  package var promise: String {
    switch self {
    case .applied, .intentWritten, .fileWritten: "P1"
    case .recorded, .intentRemoved: "P9"
    }
  }
}
