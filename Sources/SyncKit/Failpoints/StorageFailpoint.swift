/// The points of a commit to any storage, and of writing its marker, at which a test can stop the program.
public enum StorageFailpoint: String, ModuleFailpoint {
  case commitStarting = "storage.commit.starting"
  case commitFinished = "storage.commit.finished"
  case markerWriting = "storage.marker.writing"
  case markerWritten = "storage.marker.written"

  /// The promise that a crash at this point threatens.
  public var promise: String {
    switch self {
    case .markerWriting, .markerWritten: "P3"
    case .commitStarting, .commitFinished: "P9"
    }
  }
}
