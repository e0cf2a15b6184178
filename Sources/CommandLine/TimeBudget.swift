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

/// The time that a run may take. The run is asked to stop a little before the time is up. Where it does not, because a
/// system call waits for a disk that never answers, the process ends all the same: whatever moment that is, the next run
/// continues from there.
final class TimeBudget: Sendable {
  let limit: Duration
  /// True once the result was reported. It is reported once, by the run or by its end.
  private let isTold = Mutex(false)

  init(limit: Duration) { self.limit = limit }

  /// When the run is asked to stop, so that it can still come to an end and tell about it.
  var request: Duration { limit - min(limit / 5, .seconds(5)) }

  /// Returns true to the first caller, which then reports the result.
  func mayTell() -> Bool {
    isTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
  }

  /// Ends the process when the time is up.
  ///
  /// - Parameter tell: says how the run ended, on a thread that nothing else waits for.
  func enforce(telling tell: @escaping @Sendable (SyncError) -> Void) {
    let last = limit - min(limit / 10, .milliseconds(500))
    DispatchQueue(label: "time budget").asyncAfter(deadline: .now() + .nanoseconds(Int(last / .nanoseconds(1)))) {
      BoundedCommand.endAll()
      guard self.mayTell() else { return }
      let error = SyncError(.timedOut, "time limit reached; the next run continues from here")
      Console.error("syncd: \(error.explanation)")
      tell(error)
      _exit(PassResult.timedOut.exitStatus)
    }
    endWhenNobodyListens()
  }

  /// Telling may itself wait, for a reader that does not read.
  private func endWhenNobodyListens() {
    signal(SIGALRM) { _ in _exit(PassResult.timedOut.exitStatus) }
    let end = limit.components
    _ = posix_alarm(max(1, end.seconds * 1_000_000 + end.attoseconds / 1_000_000_000_000))
  }
}
