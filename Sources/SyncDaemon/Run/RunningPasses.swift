import SyncKit

/// The running and requested passes of the service, and the requests that wait for their reports. Pure: the time is a parameter
/// of every call.
///
/// Passes over different remotes run concurrently; two passes over the same remote never do.
struct RunningPasses {
  /// The maximum duration of a pass. The next pass continues with the rest.
  static let limit = Duration.seconds(6 * 3600)
  /// The maximum time that a pass may take to end after it was cancelled.
  static let patience = Duration.seconds(300)

  /// The time by which each running pass must have ended.
  private var ends: [String: Duration] = [:]
  private var requested: Set<String> = []
  private var waiting: [Waiting] = []

  /// A request that is answered after a pass that began later has ended for each of its remotes.
  private struct Waiting {
    let request: ControlRequest
    var open: Set<String>
    var begun: Set<String> = []
    var reports: [PassReport] = []
  }

  /// The remotes with a running pass.
  var running: Set<String> { Set(ends.keys) }

  /// True if no pass is running.
  var isIdle: Bool { ends.isEmpty }

  /// Returns true if a pass did not end although it was cancelled, because its thread is blocked.
  func isStuck(at now: Duration) -> Bool { ends.values.contains { $0 < now } }

  /// Records a request for a pass over each of these remotes.
  mutating func add(_ request: ControlRequest, for remotes: Set<String>) {
    requested.formUnion(remotes)
    waiting.append(Waiting(request: request, open: remotes))
  }

  /// Begins passes over the due and requested remotes, and returns them. A remote whose pass has not ended stays due.
  mutating func begin(_ due: Set<String>, at now: Duration) -> Set<String> {
    let begun = due.union(requested).subtracting(ends.keys)
    requested.subtract(begun)
    for name in begun { ends[name] = now + Self.limit + Self.patience }
    for index in waiting.indices { waiting[index].begun.formUnion(waiting[index].open.intersection(begun)) }
    return begun
  }

  /// Records that all passes were cancelled.
  mutating func cancel(at now: Duration) {
    for name in ends.keys { ends[name] = now + Self.patience }
  }

  /// Records the end of a pass, and returns the requests for which it was the last one, with their reports.
  mutating func end(_ report: PassReport) -> [(request: ControlRequest, reports: [PassReport])] {
    ends[report.remote] = nil
    for index in waiting.indices where waiting[index].begun.remove(report.remote) != nil {
      waiting[index].open.remove(report.remote)
      waiting[index].reports.append(report)
    }
    let answered = waiting.filter { $0.open.isEmpty }.map { ($0.request, $0.reports) }
    waiting.removeAll { $0.open.isEmpty }
    return answered
  }

  /// The requests that were not answered.
  var unanswered: [ControlRequest] { waiting.map(\.request) }
}
