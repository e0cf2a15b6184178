internal import CPOSIX
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The time that a run may take. It is asked to stop a little before the time is up, and made to stop when it does not,
/// because a system call waits for a disk that never answers: whatever moment that is, the next run carries on from it.
struct TimeBudget {
  let limit: Duration

  /// When the run is asked to stop, so that it can still come to an end and tell about it.
  var request: Duration { limit - min(limit / 5, .seconds(5)) }

  /// Ends the process when the time is up.
  func enforce() {
    signal(SIGALRM) { _ in
      let words: StaticString = "syncd: the time is up and something still waits; the next run goes on from here\n"
      _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
      _exit(PassResult.timedOut.exitStatus)
    }
    let end = limit.components
    _ = posix_alarm(max(1, end.seconds * 1_000_000 + end.attoseconds / 1_000_000_000_000))
  }
}
