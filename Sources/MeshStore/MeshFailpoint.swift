internal import SettingsRegistry

/// The points at which a test can stop a write to the folder of a mesh.
package enum MeshFailpoint: String, ModuleFailpoint {
  case segmentWriting = "mesh.segment.writing"
  case segmentWritten = "mesh.segment.written"
  case segmentPublished = "mesh.segment.published"
  case stateWriting = "mesh.state.writing"
  case stateWritten = "mesh.state.written"
  case statePublished = "mesh.state.published"
  case segmentRemoving = "mesh.segment.removing"
  case segmentRemoved = "mesh.segment.removed"

  /// The promise that a crash at this point threatens.
  package var promise: String {
    switch self {
    case .segmentWriting, .segmentWritten, .segmentPublished, .segmentRemoving, .segmentRemoved: "P1"
    case .stateWriting, .stateWritten, .statePublished: "P8"
    }
  }
}
