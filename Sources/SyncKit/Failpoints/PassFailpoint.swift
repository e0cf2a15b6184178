/// The points of a pass at which a test can stop the program.
public enum PassFailpoint: String, ModuleFailpoint {
  case started = "pass.scan.starting"
  case scanned = "pass.scan.finished"
  case fetched = "pass.fetch.finished"
  case planned = "pass.plan.finished"
  case batchStarting = "pass.batch.starting"
  case remoteApplied = "pass.remote.applied"
  case localApplied = "pass.local.applied"
  case batchRecorded = "pass.batch.recorded"
  case finished = "pass.finished"

  /// The promise that a crash at this point threatens.
  public var promise: String {
    switch self {
    case .started, .scanned, .fetched, .planned: "P3"
    case .finished: "P8"
    case .batchStarting, .remoteApplied, .localApplied, .batchRecorded: "P9"
    }
  }
}
