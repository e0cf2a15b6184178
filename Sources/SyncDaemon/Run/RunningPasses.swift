import SyncKit

/// Which passes the service is making, which ones were requested, and which requests wait for their reports. Pure: the time
/// comes in with every call.
///
/// Two remotes never wait for each other; two passes of one remote never overlap.
struct RunningPasses {
  /// The longest duration of a pass. What it has not done by then the next pass continues.
  static let limit = Duration.seconds(6 * 3600)
  /// How long a pass may take to end after it was cancelled.
  static let patience = Duration.seconds(300)

  /// When each pass has to have ended.
  private var ends: [String: Duration] = [:]
  private var requested: Set<String> = []
  private var waiting: [Waiting] = []

  /// A request that is answered when a pass that began after it has ended for each of its remotes.
  private struct Waiting {
    let request: ControlRequest
    var open: Set<String>
    var begun: Set<String> = []
    var reports: [PassReport] = []
  }

  /// The remotes over which passes are being made.
  var running: Set<String> { Set(ends.keys) }

  /// True if no pass is being made.
  var isIdle: Bool { ends.isEmpty }

  /// True if a pass did not end although it was cancelled: its thread is blocked.
  func isStuck(at now: Duration) -> Bool { ends.values.contains { $0 < now } }

  /// Records a request for a pass over each of these remotes.
  mutating func add(_ request: ControlRequest, for remotes: Set<String>) {
    requested.formUnion(remotes)
    waiting.append(Waiting(request: request, open: remotes))
  }

  /// Begins passes over the remotes that are due or requested, and returns which ones. A remote whose pass has not ended stays
  /// due.
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
