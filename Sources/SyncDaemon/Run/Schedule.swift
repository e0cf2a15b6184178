import SyncKit

/// When each remote is due in service mode. Pure: the time comes in with every call, as it passes since the start.
///
/// A change makes the remotes it concerns due once files have been still, or have not been still for too long; what
/// tells of no changes is asked at intervals. A remote that is away is asked again with growing pauses.
struct Schedule {
  struct Timing {
    var interval: Duration
    var quiet: Duration
    var maxDelay: Duration

    /// The first pause after a failure, and before a check is repeated.
    static let pauses = (failure: Duration.seconds(5), secondLook: Duration.seconds(1))
  }

  private struct Remote {
    /// When it is looked at although nothing is known to have changed.
    var poll: Duration
    /// When the first change came that no pass has seen, and the last one, and how long it has to be quiet then.
    var changed: (first: Duration, last: Duration, quiet: Duration)?
    /// How often in a row it has not come to an end.
    var failures = 0
    /// When a remote that was unreachable, or has unfinished checks, is tried again.
    var retry: Duration?
  }

  private let timing: Timing
  private var remotes: [String: Remote]

  /// All remotes are due at once.
  init(_ names: [String], _ timing: Timing, at now: Duration) {
    self.timing = timing
    remotes = Dictionary(names.map { ($0, Remote(poll: now)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Records that something may have changed that concerns `names`; nil: all of them. A complete file needs no quiet
  /// time.
  mutating func change(_ names: Set<String>? = nil, at now: Duration, isWhole: Bool = false) {
    for name in remotes.keys where names?.contains(name) ?? true {
      let former = remotes[name]?.changed
      let quiet = isWhole ? .zero : timing.quiet
      remotes[name]?.changed = (former?.first ?? now, now, max(quiet, former?.quiet ?? .zero))
    }
  }

  /// Records the result of a pass over a remote that began at `start`. It may have missed later changes.
  ///
  /// - Parameter jitter: from 0 to 1; spreads what would otherwise be asked by all devices at once.
  mutating func record(_ result: PassResult, of name: String, from start: Duration, to now: Duration, jitter: Double) {
    guard var remote = remotes[name] else { return }
    if let changed = remote.changed, changed.last < start { remote.changed = nil }
    remote.poll = now + timing.interval * (0.9 + 0.2 * jitter)
    let first: Duration? =
      switch result {
      case .unreachable, .damaged, .failed: Timing.pauses.failure
      case .unsettled, .timedOut: Timing.pauses.secondLook
      case .synced, .waiting, .conflicts, .held: nil
      // A server that is asked again and again with a wrong password locks its user out.
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

  /// The remotes that are due now.
  func due(at now: Duration) -> Set<String> { Set(remotes.filter { time(of: $0.value) <= now }.keys) }

  /// When the next remote is due, without `others`; nil if there is none.
  func next(excluding others: Set<String> = []) -> Duration? {
    remotes.filter { !others.contains($0.key) }.values.map(time).min()
  }

  /// When a remote is due; nil if there is no such remote.
  func time(of name: String) -> Duration? { remotes[name].map(time) }

  private func time(of remote: Remote) -> Duration {
    if let retry = remote.retry { return retry }
    guard let changed = remote.changed else { return remote.poll }
    return min(remote.poll, changed.last + changed.quiet, changed.first + timing.maxDelay)
  }
}
