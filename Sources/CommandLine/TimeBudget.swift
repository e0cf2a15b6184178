internal import CPOSIX
import Dispatch
import SyncDaemon
import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The time budget of a run. The run is asked to stop a little before the end. If it does not, because a system call waits for
/// a disk that never answers, the process exits anyway: the next run can continue from any point.
final class TimeBudget: Sendable {
  let limit: Duration
  /// True once the result was reported, which happens once, by the run or at the end of the budget.
  private let isTold = Mutex(false)

  init(limit: Duration) { self.limit = limit }

  /// The time at which the run is asked to stop, so that it can still finish and report.
  var request: Duration { limit - min(limit / 5, .seconds(5)) }

  /// Returns true for the first caller, which must report the result.
  func mayTell() -> Bool {
    isTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
  }

  /// Exits when the time is up.
  ///
  /// - Parameters:
  ///   - message: what a person reads then.
  ///   - tell: says how the run ended, on a thread that nothing else waits for.
  func enforce(
    saying message: String = "time limit reached; the next run continues from here",
    telling tell: @escaping @Sendable (SyncError) -> Void
  ) {
    let last = limit - min(limit / 10, .milliseconds(500))
    DispatchQueue(label: "time budget").asyncAfter(deadline: .now() + .nanoseconds(Int(last / .nanoseconds(1)))) {
      BoundedCommand.endAll()
      guard self.mayTell() else { return }
      let error = SyncError(.timedOut, message)
      Console.error("syncd: \(error.explanation)")
      tell(error)
      _exit(PassResult.timedOut.exitStatus)
    }
    endWhenNobodyListens()
  }

  /// Sets an alarm, because reporting may block on a reader that does not read.
  private func endWhenNobodyListens() {
    signal(SIGALRM) { _ in _exit(PassResult.timedOut.exitStatus) }
    let end = limit.components
    _ = posix_alarm(max(1, end.seconds * 1_000_000 + end.attoseconds / 1_000_000_000_000))
  }
}
