import SyncKit

/// The schedule of the remotes in service mode. Pure: the time since the start is a parameter of every call.
///
/// A change makes its remotes due once files are quiet, or have been changing for too long; remotes that do not report changes
/// are polled at intervals. An unreachable remote is retried with growing pauses.
struct Schedule {
  struct Timing {
    var interval: Duration
    var quiet: Duration
    var maxDelay: Duration

    /// The first pause after a failure, and the pause before a second check.
    static let pauses = (failure: Duration.seconds(5), secondLook: Duration.seconds(1))
  }

  private struct Remote {
    /// The time of the next poll.
    var poll: Duration
    /// The times of the first and the last change since the last pass, and the required quiet time.
    var changed: (first: Duration, last: Duration, quiet: Duration)?
    /// The number of consecutive failures.
    var failures = 0
    /// The time of the next attempt for a remote that was unreachable, or has unfinished checks.
    var retry: Duration?
  }

  private let timing: Timing
  private var remotes: [String: Remote]

  /// Makes all remotes due at once.
  init(_ names: [String], _ timing: Timing, at now: Duration) {
    self.timing = timing
    remotes = Dictionary(names.map { ($0, Remote(poll: now)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Records a possible change of `names`; nil for all remotes. A complete file needs no quiet time.
  mutating func change(_ names: Set<String>? = nil, at now: Duration, isWhole: Bool = false) {
    for name in remotes.keys where names?.contains(name) ?? true {
      let former = remotes[name]?.changed
      let quiet = isWhole ? .zero : timing.quiet
      remotes[name]?.changed = (former?.first ?? now, now, max(quiet, former?.quiet ?? .zero))
    }
  }

  /// Records the result of a pass over a remote that began at `start`. Later changes stay due, because it may have missed them.
  ///
  /// - Parameter jitter: from 0 to 1; spreads the requests of all devices.
  mutating func record(_ result: PassResult, of name: String, from start: Duration, to now: Duration, jitter: Double) {
    guard var remote = remotes[name] else { return }
    if let changed = remote.changed, changed.last < start { remote.changed = nil }
    remote.poll = now + timing.interval * (0.9 + 0.2 * jitter)
    let first: Duration? =
      switch result {
      case .unreachable, .damaged, .failed: Timing.pauses.failure
      case .unsettled, .timedOut: Timing.pauses.secondLook
      case .synced, .waiting, .conflicts, .held: nil
      // A server may lock out a user after repeated attempts with a wrong password.
      case .unauthorized: timing.interval
      }
    remote.failures = first == nil ? 0 : remote.failures + 1
    remote.retry = first.map { now + Self.pause($0, after: remote.failures, atMost: max($0, timing.interval), jitter) }
    remotes[name] = remote
  }

  private static func pause(_ first: Duration, after failures: Int, atMost limit: Duration, _ jitter: Double)
    -> Duration
  {
    min(first * Double(1 << min(failures - 1, 16)), limit) * (0.9 + 0.2 * jitter)
  }

  /// Returns the remotes that are due now.
  func due(at now: Duration) -> Set<String> { Set(remotes.filter { time(of: $0.value) <= now }.keys) }

  /// Returns the time at which the next remote is due, except for `others`; nil if there is none.
  func next(excluding others: Set<String> = []) -> Duration? {
    remotes.filter { !others.contains($0.key) }.values.map(time).min()
  }

  /// Returns the time at which a remote is due; nil if the remote is unknown.
  func time(of name: String) -> Duration? { remotes[name].map(time) }

  private func time(of remote: Remote) -> Duration {
    if let retry = remote.retry { return retry }
    guard let changed = remote.changed else { return remote.poll }
    return min(remote.poll, changed.last + changed.quiet, changed.first + timing.maxDelay)
  }
}
