package import SyncKit

extension PassResult {
  /// The exit status of a program whose passes have this result.
  package var exitStatus: Int32 {
    switch self {
    case .synced, .waiting: 0
    case .unsettled, .timedOut: 10
    case .conflicts: 3
    case .failed: 4
    case .unreachable: 5
    case .unauthorized: 11
    case .held: 6
    case .damaged: 7
    }
  }

  /// The result in JSON, metrics and messages.
  package var word: String {
    switch self {
    case .synced: "synced"
    case .waiting, .unsettled: "waiting"
    case .timedOut: "out-of-time"
    case .conflicts: "conflicts"
    case .failed: "failed"
    case .unreachable: "unreachable"
    case .unauthorized: "unauthorized"
    case .held: "held"
    case .damaged: "damaged"
    }
  }
}
